// ThreadHold — what a thread holds up as long as a function of its stack runs,
// where no state word says so.
//
// A chain through the stacks of the thread's own functions, the innermost first,
// beside the frames of the current-queue record. A waiting thread's chain stands
// still, and is read by searches: see Internals/Deadlock.md.
//
// Touching    its own thread; others while it waits, under its record's lock.

public import CSignalbox

@frozen @usableFromInline
package struct ThreadHold {
  @frozen @usableFromInline
  package enum Kind: UInt8, Sendable {
    /// Work that the object counts: an item of a group, a work item, iterations
    /// of a loop.
    case work
    /// The object is a queue, of which the thread holds a share or the whole, but
    /// does not hold its targets yet.
    case queue
    /// The object is a frame of the current-queue record, which the innermost one
    /// does not lead to.
    case frames
    /// The object is an operation queue, one of whose operations the thread runs.
    case operationQueue
    /// The object is an operation, and the thread runs its work: the operation ends when
    /// that returns.
    case operation
    /// The object is an operation, and the thread is in its `start()`: the operation ends when
    /// it says so, on any thread.
    case operationStart
    /// The object is a work item that the thread is to run, in `sync`, when its turn comes.
    case awaitedWork
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
  /// Whether the calling thread holds `object` up in this way.
  package static func isHere(_ object: UnsafeRawPointer, _ kind: Kind) -> Bool {
    find { $0.kind == kind && $0.object == object } != nil
  }

  /// Whether the calling thread runs the work of an operation of the operation queue at this
  /// address.
  package static func isInOperation(of queue: UnsafeRawPointer) -> Bool {
    ThreadStack(thread: csb_thread_number(), isMain: false).operation(of: queue)?.way == .operation
  }

  /// What the calling thread holds up in this way, the innermost.
  package static func innermost(_ kind: Kind) -> UnsafeRawPointer? { find { $0.kind == kind } }

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

/// What the stack of a waiting thread says about what it holds up.
@usableFromInline
package struct ThreadStack {
  /// The thread's number.
  package let thread: UInt32
  /// Whether it is the process's first thread.
  package let isMain: Bool
  /// The innermost frame of the current-queue record.
  package let frame: UnsafeMutableRawPointer?
  fileprivate let holds: UnsafeMutableRawPointer?
  /// The locks it has taken while locks are checked.
  private let lockList: UnsafeMutableRawPointer?
  /// What the thread holds for reading.
  private let readerBlocks: UnsafeMutableRawPointer?

  /// The calling thread's own.
  init(thread: UInt32, isMain: Bool) {
    self.thread = thread
    self.isMain = isMain
    let storage = csb_thread_self()
    frame = storage.pointee.frame
    holds = storage.pointee.holds
    lockList = storage.pointee.held_locks
    readerBlocks = storage.pointee.reader_blocks
  }

  /// The locks it holds, as far as they are checked.
  var heldLocks: [HeldLock] {
    // SAFETY: the thread's own, which stands still and lives as long as it waits.
    lockList.map { Unmanaged<HeldLocks>.fromOpaque($0)._withUnsafeGuaranteedRef(\.list) } ?? []
  }

  /// Whether the thread holds the lock at this address for reading.
  package func reads(_ lock: UnsafeRawPointer) -> Bool {
    ReaderSlot.held(UInt(bitPattern: lock), from: readerBlocks) != nil
  }

  /// Calls `body` with each hold, the innermost first, until it returns true.
  ///
  /// - Returns: whether it did.
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

  /// Whether the thread holds `object` up in this way.
  package func holds(_ object: UnsafeRawPointer, _ kind: ThreadHold.Kind) -> Bool {
    anyHold { $0.kind == kind && $0.object == object }
  }

  /// How the thread runs the operation at this address: `operation`, `operationStart`, or not
  /// at all.
  package func runs(operation: UnsafeRawPointer) -> ThreadHold.Kind? {
    if holds(operation, .operation) { return .operation }
    return holds(operation, .operationStart) ? .operationStart : nil
  }

  /// Which operation of the operation queue at this address the thread runs, and how:
  /// `operation` or `operationStart`. nil if none.
  package func operation(
    of queue: UnsafeRawPointer
  ) -> (address: UnsafeRawPointer, way: ThreadHold.Kind)? {
    // The hold within that of the queue is the operation's; there is none between two of them.
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
