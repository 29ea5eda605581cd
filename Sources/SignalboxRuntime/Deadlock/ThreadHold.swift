// ThreadHold — an object that cannot continue before a function on this thread's stack returns,
// where no state word says so.
//
// The holds form a chain through the stack frames of the thread's functions, innermost first,
// beside the frames of the current-queue record. The chain of a waiting thread does not change,
// and searches read it: see Internals/Deadlock.md.
//
// Touching    its own thread; others while it waits, under its record's lock; and the thread that
//             runs its work for it (`caller`), until that work ends.

public import CSignalbox

@frozen @usableFromInline
package struct ThreadHold {
  @frozen @usableFromInline
  package enum Kind: UInt8, Sendable {
    /// Work that the object counts: an item of a group, a work item, iterations of a
    /// loop.
    case work
    /// The object is a queue. The thread holds a share of it or owns it, but does not
    /// hold its targets yet.
    case queue
    /// The object is a frame of the current-queue record that cannot be reached from the
    /// innermost frame.
    case frames
    /// The object is an operation queue, and the thread runs one of its operations.
    case operationQueue
    /// The object is an operation, and the thread runs its work. The operation ends when
    /// the work returns.
    case operation
    /// The object is an operation, and the thread is in its `start()`. The operation ends
    /// when it reports that it has finished, on any thread.
    case operationStart
    /// The object is a work item that the thread will run, in `sync`, when its turn
    /// comes.
    case awaitedWork
    /// The object is the `ThreadStack` of a thread that waits while this thread runs its work.
    case caller
  }

  @usableFromInline package let object: UnsafeRawPointer
  @usableFromInline package let kind: Kind
  @usableFromInline package let outer: UnsafeMutableRawPointer?

  @inlinable @inline(__always)
  init(_ object: UnsafeRawPointer, _ kind: Kind, _ outer: UnsafeMutableRawPointer?) {
    self.object = object
    self.kind = kind
    self.outer = outer
  }

  /// Runs `body` while the thread holds `object` up.
  @inlinable @inline(__always)
  package static func with<T>(
    _ object: UnsafeRawPointer, _ kind: Kind, _ body: () throws -> T
  ) rethrows -> T {
    let storage = csb_thread_self()
    var hold = ThreadHold(object, kind, storage.pointee.holds)
    return try withUnsafeMutablePointer(to: &hold) { pointer in
      storage.pointee.holds = UnsafeMutableRawPointer(pointer)
      defer { storage.pointee.holds = pointer.pointee.outer }
      return try body()
    }
  }
}

extension ThreadHold {
  /// Describes the structure to readers in other processes.
  static func describe() {
    guard let object = MemoryLayout<ThreadHold>.offset(of: \.object),
      let kind = MemoryLayout<ThreadHold>.offset(of: \.kind),
      let outer = MemoryLayout<ThreadHold>.offset(of: \.outer)
    else { return }
    OutsideTable.address("hold", "object", at: object)
    OutsideTable.number("hold", "kind", at: kind, size: MemoryLayout<Kind>.size)
    OutsideTable.address("hold", "outer", at: outer)
    OutsideTable.constant("hold", "work", Kind.work.rawValue)
    OutsideTable.constant("hold", "queue", Kind.queue.rawValue)
    OutsideTable.constant("hold", "frames", Kind.frames.rawValue)
    OutsideTable.constant("hold", "awaitedWork", Kind.awaitedWork.rawValue)
    OutsideTable.constant("hold", "operationQueue", Kind.operationQueue.rawValue)
    OutsideTable.constant("hold", "operation", Kind.operation.rawValue)
    OutsideTable.constant("hold", "operationStart", Kind.operationStart.rawValue)
  }

  /// Whether the calling thread holds up `object` in this way.
  package static func isHere(_ object: UnsafeRawPointer, _ kind: Kind) -> Bool {
    find { $0.kind == kind && $0.object == object } != nil
  }

  /// Whether the calling thread runs the work of an operation of the operation queue at
  /// this address.
  package static func isInOperation(of queue: UnsafeRawPointer) -> Bool {
    ThreadStack.ofThisThread.operation(of: queue)?.way == .operation
  }

  /// The innermost object of this kind that the thread's current work holds up. Holds outside of
  /// one of the kind `frames` belong to other work.
  package static func innermost(_ kind: Kind) -> UnsafeRawPointer? {
    var isOther = false
    return find {
      isOther = isOther || $0.kind == .frames
      return !isOther && $0.kind == kind
    }
  }

  private static func find(_ test: (borrowing ThreadHold) -> Bool) -> UnsafeRawPointer? {
    var next = csb_thread_self().pointee.holds
    while let raw = next {
      // SAFETY: only `with` writes the chain.
      let hold = raw.assumingMemoryBound(to: ThreadHold.self)
      if test(hold.pointee) { return hold.pointee.object }
      next = hold.pointee.outer
    }
    return nil
  }
}

/// What a thread holds up, according to its stack: a waiting thread, or the calling one.
@usableFromInline
package struct ThreadStack {
  package let thread: UInt32
  /// Whether the thread is the process's first one.
  package let isMain: Bool
  /// The innermost frame of the current-queue record.
  package let frame: UnsafeMutableRawPointer?
  fileprivate let holds: UnsafeMutableRawPointer?
  /// The list of the locks that the thread has taken while locks are checked
  /// (`HeldLocks`).
  package let lockList: UnsafeMutableRawPointer?
  /// The blocks in which the thread states what it holds for reading.
  private let readerBlocks: UnsafeMutableRawPointer?

  /// Reads the stack of the calling thread.
  init(thread: UInt32, isMain: Bool) {
    self.thread = thread
    self.isMain = isMain
    let storage = csb_thread_self()
    frame = storage.pointee.frame
    holds = storage.pointee.holds
    lockList = storage.pointee.held_locks
    readerBlocks = storage.pointee.reader_blocks
  }

  /// The stack of the calling thread.
  package static var ofThisThread: ThreadStack {
    ThreadStack(thread: csb_thread_number(), isMain: csb_thread_is_main() != 0)
  }

  /// The stack of the thread that waits for the work that the calling thread, to which this stack
  /// belongs, runs now.
  package var caller: ThreadStack? {
    var caller: ThreadStack?
    _ = anyHold { hold in
      if hold.kind == .caller {
        // SAFETY: `RemoteCall` keeps it on this thread's stack while the hold is in the chain.
        let stack = hold.object.assumingMemoryBound(to: ThreadStack.self).pointee
        // A caller that stayed behind in the parent does not wait here.
        if !Fork.hasLost(stack.thread) { caller = stack }
      }
      return hold.kind == .caller || hold.kind == .frames
    }
    return caller
  }

  /// Publishes the chains for readers in other processes.
  func show(in wait: inout csb_outside_wait) {
    wait.frame = frame
    wait.holds = holds
    wait.reader_blocks = readerBlocks
  }

  /// Whether the thread holds the lock at this address for reading.
  package func reads(_ lock: UnsafeRawPointer) -> Bool {
    ReaderSlot.held(UInt(bitPattern: lock), from: readerBlocks) != nil
  }

  /// Calls `body` with each hold, innermost first, until it returns true.
  ///
  /// - Returns: whether it returned true.
  package func anyHold(_ body: (borrowing ThreadHold) -> Bool) -> Bool {
    var next = holds
    while let raw = next {
      // SAFETY: only `ThreadHold.with` writes the chain.
      let hold = raw.assumingMemoryBound(to: ThreadHold.self)
      if body(hold.pointee) { return true }
      next = hold.pointee.outer
    }
    return false
  }

  /// Whether the thread runs work that `object` counts.
  package func works(for object: UnsafeRawPointer) -> Bool {
    anyHold { $0.kind == .work && $0.object == object }
  }

  /// Whether the thread holds up `object` in this way.
  package func holds(_ object: UnsafeRawPointer, _ kind: ThreadHold.Kind) -> Bool {
    anyHold { $0.kind == kind && $0.object == object }
  }

  /// How the thread runs the operation at this address: `operation` or `operationStart`;
  /// nil if it does not run it.
  package func runs(operation: UnsafeRawPointer) -> ThreadHold.Kind? {
    if holds(operation, .operation) { return .operation }
    return holds(operation, .operationStart) ? .operationStart : nil
  }

  /// The operation that the thread runs for the operation queue at this address, and how:
  /// `operation` or `operationStart`. nil if there is none.
  package func operation(
    of queue: UnsafeRawPointer
  ) -> (address: UnsafeRawPointer, way: ThreadHold.Kind)? {
    // The hold just inside that of the queue is the operation's; none lies between the
    // two.
    var inner: (kind: ThreadHold.Kind, object: UnsafeRawPointer)?
    let isFound = anyHold { hold in
      if hold.kind == .operationQueue && hold.object == queue { return true }
      inner = (hold.kind, hold.object)
      return false
    }
    guard isFound, let inner, inner.kind == .operation || inner.kind == .operationStart else {
      return nil
    }
    return runs(operation: inner.object).map { (inner.object, $0) }
  }
}
