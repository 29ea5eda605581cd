// Handle — the address by which C code names an object. All conversions and their traps are here.
//
// An object's handle is the address of the Swift object, for example of a `DispatchQueue`.
// Two objects have another address in C, because C code has that address as a constant: the main
// queue, `&_dispatch_main_q`, and data without bytes, `&_dispatch_data_empty`.
//
// C's references are counted by `ObjectHandle`. `made` returns an object with one reference, as
// every `dispatch_…_create` does.

import CSignalbox
import CSignalboxDropIn
package import SignalboxDispatch
import SignalboxRuntime

package typealias Handle = UnsafeMutableRawPointer

package enum Handles {
  // MARK: From C

  /// The queue at this address.
  @inline(__always)
  package static func queue(_ handle: Handle?, _ call: StaticString) -> Unmanaged<DispatchQueue> {
    if handle == csd_main_queue_address() { return mainQueue }
    return object(handle, .queue, call)
  }

  /// The queue at this address; nil for NULL.
  @inline(__always)
  static func optionalQueue(
    _ handle: Handle?, _ call: StaticString
  ) -> Unmanaged<DispatchQueue>? {
    handle == nil ? nil : queue(handle, call)
  }

  @inline(__always)
  package static func group(_ handle: Handle?, _ call: StaticString) -> Unmanaged<DispatchGroup> {
    object(handle, .group, call)
  }

  @inline(__always)
  package static func semaphore(
    _ handle: Handle?, _ call: StaticString
  ) -> Unmanaged<DispatchSemaphore> {
    object(handle, .semaphore, call)
  }

  @inline(__always)
  static func source(_ handle: Handle?, _ call: StaticString) -> Unmanaged<DispatchSource> {
    object(handle, .source, call)
  }

  @inline(__always)
  static func channel(_ handle: Handle?, _ call: StaticString) -> Unmanaged<DispatchIO> {
    object(handle, .channel, call)
  }

  @inline(__always)
  static func data(_ handle: Handle?, _ call: StaticString) -> Unmanaged<DataObject> {
    if handle == csd_empty_data_address() { return emptyData }
    return object(handle, .data, call)
  }

  /// The object of any kind at this address.
  static func any(
    _ handle: Handle?, _ call: StaticString
  ) -> (object: Unmanaged<DispatchObject>, kind: ObjectHandle.Kind) {
    if handle == csd_main_queue_address() {
      // SAFETY: every object of Dispatch is of this class.
      return (Unmanaged<DispatchObject>.fromOpaque(mainQueue.toOpaque()), .queue)
    }
    if handle == csd_empty_data_address() {
      // SAFETY: as above.
      return (Unmanaged<DispatchObject>.fromOpaque(emptyData.toOpaque()), .data)
    }
    guard let handle, let kind = ObjectHandle.kind(at: handle), kind != .freed else {
      trapOther(handle, "an object of Dispatch", call)
    }
    // SAFETY: the kind says what is at the address.
    return (Unmanaged<DispatchObject>.fromOpaque(handle), kind)
  }

  // SAFETY: the main queue is never freed.
  private static var mainQueue: Unmanaged<DispatchQueue> { .passUnretained(.main) }
  // SAFETY: this data is never freed.
  private static var emptyData: Unmanaged<DataObject> { .passUnretained(.empty) }

  /// The object of this kind at this address.
  @inline(__always)
  private static func object<Object: DispatchObject>(
    _ handle: Handle?, _ kind: ObjectHandle.Kind, _ call: StaticString
  ) -> Unmanaged<Object> {
    guard let handle, ObjectHandle.isKind(kind, at: handle) else {
      trapOther(handle, kind.words, call)
    }
    return Unmanaged<Object>.fromOpaque(handle)  // SAFETY: the kind says what is at the address.
  }

  // MARK: To C

  /// A new object for C code, which has one reference.
  static func made(_ object: DispatchObject) -> Handle {
    _ = object.handleForC.retain()
    return Unmanaged.passRetained(object).toOpaque()  // SAFETY: balanced by `dispatch_release`.
  }

  /// The same for data. Data without bytes is always the same object.
  static func made(_ data: DispatchData) -> Handle {
    data.count == 0 ? csd_empty_data_address() : made(DataObject(data))
  }

  /// An object that other references keep alive, without a reference for C code.
  package static func lent(_ object: DispatchObject) -> Handle {
    if object === DispatchQueue.main { return csd_main_queue_address() }
    return Unmanaged.passUnretained(object).toOpaque()  // SAFETY: someone else retains it.
  }

  /// A new or existing object, with a reference for C code.
  package static func shared(_ object: DispatchObject) -> Handle {
    if let queue = object as? DispatchQueue, queue.isEverlasting { return lent(queue) }
    // SAFETY: the caller holds a reference.
    retain(.passUnretained(object))
    return Unmanaged.passUnretained(object).toOpaque()
  }

  /// Gives back the reference with which `shared` returned the object.
  static func takeBack(_ object: DispatchObject) {
    // SAFETY: the caller holds a reference of its own.
    if object.handleForC.release() == .last { Unmanaged.passUnretained(object).release() }
  }

  /// A further reference for C code.
  static func retain(_ object: Unmanaged<DispatchObject>) {
    if object._withUnsafeGuaranteedRef({ $0.handleForC.retain() }) {
      csb_object_retain(object.toOpaque())
    }
  }

  /// Calls `body` with a data handle, or with NULL for nil. The handle is valid until `body`
  /// returns, or longer if C code retains it.
  static func lend(_ data: DispatchData?, _ body: (Handle?) -> Void) {
    guard let data else { return body(nil) }
    let handle = made(data)
    body(handle)
    release(handle)
  }

  /// Releases the reference with which `made` returned a data object.
  static func release(_ handle: Handle) {
    let (object, _) = any(handle, "dispatch_release")
    if object._withUnsafeGuaranteedRef({ $0.handleForC.release() }) == .last { object.release() }
  }

  // MARK: Traps

  @inline(never)
  private static func trapOther(
    _ handle: Handle?, _ wanted: String, _ call: StaticString
  ) -> Never {
    guard let handle else {
      clientBug("\(call) was called with NULL where \(wanted) belongs.")
    }
    let address = "0x" + String(UInt(bitPattern: handle), radix: 16)
    if handle == csd_main_queue_address() {
      clientBug("\(call) was called with the main queue where \(wanted) belongs.")
    }
    if handle == csd_empty_data_address() {
      clientBug("\(call) was called with data without bytes where \(wanted) belongs.")
    }
    switch ObjectHandle.kind(at: handle) {
    case nil:
      clientBug(
        "\(call) was called with \(address) where \(wanted) belongs: no object of Dispatch is "
          + "there. Was it released too early?")
    case .freed:
      clientBug(
        "\(call) was called with \(address) where \(wanted) belongs: the object was freed. It was "
          + "released more often than it was retained, or is used after its last release.")
    case let kind?:
      clientBug("\(call) was called with \(kind.words) where \(wanted) belongs.")
    }
  }
}

extension ObjectHandle.Kind {
  var words: String {
    switch self {
    case .queue: "a queue"
    case .group: "a group"
    case .semaphore: "a semaphore"
    case .source: "a source"
    case .channel: "a channel"
    case .data: "a data object"
    case .freed: "a freed object"
    }
  }
}
