// QueueFrame — records which queue a thread is on.
//
// The frames form a chain through the stack of the thread, the innermost first. Each `sync` and
// each drain pushes one. To the search for deadlocks, a frame means that the thread holds the queue
// and its targets.
//
// Touching    its own thread; other threads while it waits, under the lock of its wait record; the
//             thread that runs a `RemoteCall` of it, until that call ends.

public import CSignalbox
import SignalboxRuntime

@frozen @usableFromInline
struct QueueFrame {
  @usableFromInline let queue: Unmanaged<DispatchQueue>
  @usableFromInline let outer: UnsafeMutableRawPointer?

  @inlinable @inline(__always)
  init(_ queue: DispatchQueue) {
    // SAFETY: the caller of `sync` or the drainer holds a reference to the queue as long as the
    // frame is in the chain.
    self.queue = Unmanaged.passUnretained(queue)
    outer = csb_thread_self().pointee.frame
  }

  /// Describes the structure to readers in other processes.
  static func describe() {
    guard let queue = MemoryLayout<QueueFrame>.offset(of: \.queue),
      let outer = MemoryLayout<QueueFrame>.offset(of: \.outer)
    else { return }
    OutsideTable.address("frame", "queue", at: queue)
    OutsideTable.address("frame", "outer", at: outer)
  }

  /// Runs `body` as work of `queue`.
  @inlinable @inline(__always)
  static func with<T>(_ queue: DispatchQueue, _ body: () throws -> T) rethrows -> T {
    var frame = QueueFrame(queue)
    return try withUnsafeMutablePointer(to: &frame) { pointer in
      let storage = csb_thread_self()
      storage.pointee.frame = UnsafeMutableRawPointer(pointer)
      defer { storage.pointee.frame = pointer.pointee.outer }
      return try body()
    }
  }

  /// Runs `body`, which runs items of `queue`, as if the thread were on no other queue. A thread
  /// that waits in `sync` uses it for items that are not its own. The thread still holds the other
  /// queues, and the search for deadlocks must know that.
  static func withOnly<T>(_ queue: DispatchQueue, _ body: () throws -> T) rethrows -> T {
    let storage = csb_thread_self()
    let outer = storage.pointee.frame
    storage.pointee.frame = nil
    defer { storage.pointee.frame = outer }
    guard let outer else { return try with(queue, body) }
    return try ThreadHold.with(outer, .frames) { try with(queue, body) }
  }

  /// The innermost frame of this thread.
  static var innermost: UnsafeMutablePointer<QueueFrame>? {
    // SAFETY: only `with` writes it.
    csb_thread_self().pointee.frame?.assumingMemoryBound(to: QueueFrame.self)
  }

  /// Whether this thread runs an item of `queue` itself.
  static func isDirectlyOn(_ queue: DispatchQueue) -> Bool {
    any(from: csb_thread_self().pointee.frame) { $0 === queue }
  }

  /// How many times this thread is on `queue`, or on a queue that targets it.
  static func count(reaching queue: DispatchQueue) -> Int {
    var count = 0
    _ = any(from: csb_thread_self().pointee.frame) {
      if $0.reaches(queue) { count += 1 }
      return false
    }
    return count
  }

  /// Whether `test` is true of the queue of a frame, from `frame` outwards.
  static func any(from frame: UnsafeMutableRawPointer?, _ test: (DispatchQueue) -> Bool) -> Bool {
    var next = frame
    while let raw = next {
      // SAFETY: only `with` writes it.
      let frame = raw.assumingMemoryBound(to: QueueFrame.self)
      if frame.pointee.queue._withUnsafeGuaranteedRef(test) { return true }
      next = frame.pointee.outer
    }
    return false
  }
}
