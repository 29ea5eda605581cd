// ToolchainRoot — a libdispatch queue that runs nothing by itself: it makes a descriptor
// readable, and its owner runs the items.
//
// This is Core Foundation's own interface, found by symbol name. On Linux there is no function for
// the descriptor. The descriptor's number plus 1 is stored where other objects store their context.
// The code checks that before it uses the value.
//
// Touching    everything: never changes. `run()`: one thread at a time.

import CSignalbox
import Dispatch
import Foundation
import SignalboxThreads

// SAFETY: see Touching.
final class ToolchainRoot: @unchecked Sendable {
  private typealias Create =
    @convention(c) (UnsafePointer<CChar>?, UInt) -> UnsafeMutableRawPointer?
  private typealias Perform = @convention(c) (UnsafeMutableRawPointer) -> Bool
  private typealias SetTarget =
    @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
  private typealias Release = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The C object, which is the last target of the queues that end here.
  let object: UnsafeMutableRawPointer
  private let perform: Perform
  /// Readable while there are items.
  let descriptor: Int32

  /// Fails if libdispatch has changed, or if another copy of Signalbox replaces it: a copy has no
  /// such roots.
  init?(label: String) {
    if csb_dispatch_is_replaced() != 0 { return nil }
    guard let create = Self.function("_dispatch_runloop_root_queue_create_4CF", Create.self),
      let perform = Self.function("_dispatch_runloop_root_queue_perform_4CF", Perform.self)
    else { return nil }
    let made = MadeElsewhere()
    // The creating thread must never call `sync` on the root: see `makeToolchainQueue`.
    let maker = JoinableThread { made.object = label.withCString { create($0, 0) } }
    maker.start()
    maker.join()
    guard let object = made.object else { return nil }
    self.object = object
    self.perform = perform
    guard let descriptor = Self.descriptor(of: object) else { return nil }
    self.descriptor = descriptor
  }

  deinit { Self.function("dispatch_release", Release.self)?(object) }

  /// Makes this root the only place where the queue's items run.
  ///
  /// - Parameter queue: a queue that is not active yet.
  /// - Returns: whether that succeeded.
  func becomeTarget(of queue: Dispatch.DispatchQueue) -> Bool {
    guard let setTarget = Self.function("dispatch_set_target_queue", SetTarget.self),
      let handle = queue.handle
    else { return false }
    setTarget(handle, object)
    return true
  }

  /// Runs the pending items, up to a limit. If more are left, makes the descriptor
  /// readable again.
  func run() {
    var count: UInt64 = 0
    // This read does not block. Later submissions make the descriptor readable again.
    _ = read(descriptor, &count, 8)
    for _ in 0..<ToolchainRoot.turn {
      if !perform(object) { return }
    }
    count = 1
    _ = write(descriptor, &count, 8)
  }

  /// How many items may run before other items of the target get a turn.
  private static var turn: Int { 64 }

  // MARK: libdispatch's internals

  private static func function<T>(_ name: String, _: T.Type) -> T? {
    // SAFETY: the headers of libdispatch and Core Foundation declare these signatures.
    dlsym(nil, name).map { unsafeBitCast($0, to: T.self) }
  }

  /// The words of an object: class, counts, link, target, context.
  private static var contextIndex: Int { 4 }

  private static func descriptor(of object: UnsafeMutableRawPointer) -> Int32? {
    // SAFETY: every object of libdispatch has these words.
    let word = object.assumingMemoryBound(to: Int.self)[contextIndex]
    guard let descriptor = Int32(exactly: word - 1), descriptor >= 0 else { return nil }
    var name = [UInt8](repeating: 0, count: 64)
    let length = name.withUnsafeMutableBytes { bytes in
      readlink(
        "/proc/self/fd/\(descriptor)", bytes.baseAddress!.assumingMemoryBound(to: CChar.self),
        bytes.count)
    }
    guard length > 0, String(decoding: name[..<length], as: UTF8.self).contains("[eventfd]") else {
      return nil
    }
    return descriptor
  }
}

// SAFETY: one thread writes it; another reads it after joining that thread.
private final class MadeElsewhere: @unchecked Sendable {
  var object: UnsafeMutableRawPointer?
}
