// QueueFrame — the record of which queue a thread is on.
//
// A chain through the stacks of the thread's own functions, the innermost
// first. Pushed for each sync and each visit of a drainer. A search for deadlocks
// takes a frame to mean that the queue and its targets are held.
//
// Touching    its own thread; others while it waits, under its record's lock.

public import CSignalbox
import SignalboxRuntime

@frozen @usableFromInline
struct QueueFrame {
  @usableFromInline let queue: Unmanaged<DispatchQueue>
  @usableFromInline let outer: UnsafeMutableRawPointer?

  @inlinable @inline(__always)
  init(_ queue: DispatchQueue) {
    // SAFETY: the caller of `sync` or the drainer holds a reference to the queue
    // for as long as the frame is in the chain.
    self.queue = Unmanaged.passUnretained(queue)
    outer = csb_thread_self().pointee.frame
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

  /// Runs `body`, which runs items of `queue`, as if the thread were on no other
  /// queue: a thread that waits in `sync` does so for items that are not its own.
  /// It still holds the others, which a search for deadlocks must know.
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

  /// Whether this thread runs work of `queue`, or of one that targets it.
  static func isOn(_ queue: DispatchQueue) -> Bool {
    anyFrame { $0.reaches(queue) }
  }

  /// Whether this thread runs work of `queue` itself.
  static func isDirectlyOn(_ queue: DispatchQueue) -> Bool {
    anyFrame { $0 === queue }
  }

  private static func anyFrame(_ test: (DispatchQueue) -> Bool) -> Bool {
    var next = innermost
    while let frame = next {
      if frame.pointee.queue._withUnsafeGuaranteedRef(test) { return true }
      // SAFETY: only `with` writes it.
      next = frame.pointee.outer?.assumingMemoryBound(to: QueueFrame.self)
    }
    return false
  }
}
