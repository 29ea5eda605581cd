// ToolchainRoot — a queue of libdispatch's that runs nothing by itself: it makes a descriptor
// readable, and whoever it belongs to runs its items.
//
// Core Foundation's own interface to it, found by name. What that lacks on Linux is a function
// for the descriptor: it stands, one more than its number, where other objects have their context.
// Whether it does is looked at before it is believed.
//
// Touching    everything: never changes. `run()`: one thread at a time.

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

  /// The C object. Queues of libdispatch's that end here have it as their last target.
  let object: UnsafeMutableRawPointer
  private let perform: Perform
  /// Readable when there are items.
  let descriptor: Int32

  /// Nil where libdispatch is not as it was.
  init?(label: String) {
    guard let create = Self.function("_dispatch_runloop_root_queue_create_4CF", Create.self),
      let perform = Self.function("_dispatch_runloop_root_queue_perform_4CF", Perform.self)
    else { return nil }
    let made = MadeElsewhere()
    // The thread that makes it must never call `sync` on it: see `makeToolchainQueue`.
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

  /// Runs items of this root only from now on.
  ///
  /// - Parameter queue: not active yet.
  /// - Returns: whether it does.
  func becomeTarget(of queue: Dispatch.DispatchQueue) -> Bool {
    // The one stored property of the class is the C object.
    guard let setTarget = Self.function("dispatch_set_target_queue", SetTarget.self),
      let wrapped = Mirror(reflecting: queue).children.first?.value as? OpaquePointer
    else { return false }
    setTarget(UnsafeMutableRawPointer(wrapped), object)
    return true
  }

  /// Runs the items that are there, but for those beyond a turn's: they make the descriptor
  /// readable again.
  func run() {
    var count: UInt64 = 0
    // It does not block. What is submitted from now on is told anew.
    _ = read(descriptor, &count, 8)
    for _ in 0..<ToolchainRoot.turn {
      if !perform(object) { return }
    }
    count = 1
    _ = write(descriptor, &count, 8)
  }

  /// How many items keep others of the target waiting.
  private static var turn: Int { 64 }

  // MARK: What libdispatch has

  private static func function<T>(_ name: String, _: T.Type) -> T? {
    // SAFETY: declared so in libdispatch's headers and in Core Foundation's.
    dlsym(nil, name).map { unsafeBitCast($0, to: T.self) }
  }

  /// The words of an object: class, counts, link, target, context.
  private static var contextIndex: Int { 4 }

  private static func descriptor(of object: UnsafeMutableRawPointer) -> Int32? {
    // SAFETY: every object of libdispatch's has these words.
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

// SAFETY: written by one thread, read when that is joined.
private final class MadeElsewhere: @unchecked Sendable {
  var object: UnsafeMutableRawPointer?
}
