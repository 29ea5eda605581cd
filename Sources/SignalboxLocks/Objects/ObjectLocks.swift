// ObjectLocks — the locks of all objects that are locked or waited for now, in a table by the
// object's address.
//
// A row is a lock of the engine and a list, both used for a few instructions at a time. Objects
// whose addresses fall into the same row share only these: each object has a lock of its own,
// which is freed when it has no user. No thread waits for an object while it holds a row's lock.
//
// Fast path   a thread keeps the locks of the few objects that it locked last, and acquires and
//             releases them with one atomic operation each. It drops them when it locks other
//             objects, and when it ends.
// Slow path   the lock is found in its row, or created from the thread's own cache of nodes.
//
// Touching    a row's list: under the row's lock. The slots of the locks that a thread keeps:
//             that thread.
// Invariants  I1  a thread that keeps a lock counts as one user, whether it holds the lock or
//                 not. A thread that holds a lock without keeping the lock is a user until it has
//                 released the lock.
//             I2  no thread drops a kept lock while it holds it.
//             I3  a thread that needs a row for the first time runs `prepare`: no process forks
//                 while the rows are created.
// Rejected    a lock in the table for each object that was ever locked, for the object's
//             lifetime: nothing reports when an object is freed. Locks that objects share by
//             their hash: two threads that lock two objects each, in any order, could wait for
//             each other forever.

import CSignalbox
import SignalboxRuntime

package enum ObjectLocks {
  private struct Row: ~Copyable {
    // First, for the same reason as `ObjectLock.next`.
    var first: ObjectLock.Pointer?
    let lock = EngineLock()
  }

  /// Twice the number of threads that meet here at once on most machines.
  private static var rowCount: Int { 64 }
  /// A cache line for each row.
  private static var rowSize: Int { 64 }

  // SAFETY: created once and never freed; each row is guarded by its lock.
  nonisolated(unsafe) static let rows: UnsafeMutableRawPointer = {
    let rows = UnsafeMutableRawPointer.allocate(
      byteCount: rowCount * rowSize, alignment: rowSize)
    for index in 0..<rowCount {
      (rows + index * rowSize).bindMemory(to: Row.self, capacity: 1).initialize(to: Row())
    }
    return rows
  }()

  /// Joins the fork protocol and creates the rows at first use.
  @inline(__always)
  private static func prepare() {
    if !Fork.hasJoined(.objects) { prepareSlow() }
  }

  @inline(never)
  private static func prepareSlow() {
    Fork.join(
      .objects, prepare: { ObjectLocks.lockForFork() }, release: { ObjectLocks.unlockAfterFork() },
      child: { ObjectLocks.forgetLostThreads() }
    ) { _ = ObjectLocks.rows }
  }

  private static func row(_ index: Int) -> UnsafeMutablePointer<Row> {
    // SAFETY: `rows` created a row there.
    (rows + index * rowSize).assumingMemoryBound(to: Row.self)
  }

  private static func row(of object: UInt) -> UnsafeMutablePointer<Row> {
    prepare()
    return row(Int(truncatingIfNeeded: hash(object)))
  }

  /// A number below the number of rows.
  private static func hash(_ object: UInt) -> UInt {
    // The upper bits of a product depend on all bits of the address. The factor is 2^64 divided
    // by the golden ratio, which distributes neighbouring addresses well.
    (object &* 0x9E37_79B9_7F4A_7C15) >> 58
  }

  // MARK: Entering

  @inline(__always)
  static func enter(_ object: UInt) {
    let thread = csb_thread_number()
    guard let lock = kept(object) else { return enterSlow(object, thread) }
    if lock.pointee.state.take(thread) {
      lock.pointee.enterFirst()
      if Probe.wantsLocks { Probe.lockTaken(ObjectLock.resource(lock)) }
    } else {
      enterHeld(lock, thread)
    }
  }

  /// Enters a held lock of which this thread is a user.
  @inline(never)
  private static func enterHeld(_ lock: ObjectLock.Pointer, _ thread: UInt32) {
    if lock.pointee.state.owner == thread {
      lock.pointee.enterAgain()
      return
    }
    if !lock.pointee.state.take(thread) {
      _ = lock.pointee.state.takeSlow(thread, on: ObjectLock.resource(lock))
    }
    lock.pointee.enterFirst()
    Probe.lockTaken(ObjectLock.resource(lock))
  }

  /// Finds or creates the lock in its row, makes the thread a user of it, and enters it.
  @inline(never)
  private static func enterSlow(_ object: UInt, _ thread: UInt32) {
    let row = row(of: object)
    // Allocate before the row is locked.
    let node = NodeCache.items.take()
    row.pointee.lock.lock()
    guard let lock = find(object, row) else {
      let lock = ObjectLock.make(node, of: object, for: thread)
      lock.pointee.next = row.pointee.first
      row.pointee.first = lock
      row.pointee.lock.unlock()
      keep(lock, thread)
      return Probe.lockTaken(ObjectLock.resource(lock))
    }
    let isNew = lock.pointee.state.owner != thread
    if isNew { lock.pointee.users += 1 }
    row.pointee.lock.unlock()
    NodeCache.items.give(node)
    if isNew { keep(lock, thread) }
    enterHeld(lock, thread)
  }

  // MARK: Leaving

  /// Leaves the lock of an object.
  ///
  /// - Returns: whether the calling thread held it.
  @inline(__always)
  static func exit(_ object: UInt) -> Bool {
    let thread = csb_thread_number()
    guard let lock = kept(object) else { return exitSlow(object, thread) }
    guard lock.pointee.state.owner == thread else { return false }
    if !lock.pointee.leaveOnce() { return true }
    if Probe.wantsLocks { Probe.lockLeft(ObjectLock.resource(lock)) }
    let old = lock.pointee.state.leave()
    if old != thread { lock.pointee.state.endLeaving(old) }
    return true
  }

  /// Leaves a lock that the thread does not keep. A thread that has left as often as it entered is
  /// no longer a user of the lock.
  @inline(never)
  private static func exitSlow(_ object: UInt, _ thread: UInt32) -> Bool {
    let row = row(of: object)
    row.pointee.lock.lock()
    guard let lock = find(object, row), lock.pointee.state.owner == thread else {
      row.pointee.lock.unlock()
      return false
    }
    row.pointee.lock.unlock()
    // The lock exists as long as the thread holds it.
    if !lock.pointee.leaveOnce() { return true }
    Probe.lockLeft(ObjectLock.resource(lock))
    let old = lock.pointee.state.leave()
    if old != thread { lock.pointee.state.endLeaving(old) }
    drop(lock)
    return true
  }

  /// Removes the calling thread from the users of the lock.
  private static func drop(_ lock: ObjectLock.Pointer) {
    let row = row(of: lock.pointee.object)
    row.pointee.lock.lock()
    lock.pointee.users -= 1
    let isLast = lock.pointee.users == 0
    if isLast { remove(lock, row) }
    row.pointee.lock.unlock()
    // No other thread knows it any more.
    if isLast { NodeCache.items.give(UnsafeMutableRawPointer(lock)) }
  }

  // MARK: Kept by the thread

  private static func slot(of object: UInt) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    csb_thread_object_locks() + Int(truncatingIfNeeded: hash(object) % UInt(CSB_OBJECT_LOCKS))
  }

  /// The lock of the object, if this thread keeps it.
  @inline(__always)
  private static func kept(_ object: UInt) -> ObjectLock.Pointer? {
    guard let raw = slot(of: object).pointee else { return nil }
    // SAFETY: only `keep` writes the slots.
    let lock = raw.assumingMemoryBound(to: ObjectLock.self)
    return lock.pointee.object == object ? lock : nil
  }

  /// Keeps a lock of which the thread is a user, in place of another kept lock, unless the thread
  /// holds that one.
  private static func keep(_ lock: ObjectLock.Pointer, _ thread: UInt32) {
    let slot = slot(of: lock.pointee.object)
    guard let raw = slot.pointee else {
      ThreadEnd.arrange()
      csb_thread_self().pointee.object_locks_end = { ObjectLocks.dropKept() }
      slot.pointee = UnsafeMutableRawPointer(lock)
      return
    }
    // SAFETY: only `keep` writes the slots.
    let old = raw.assumingMemoryBound(to: ObjectLock.self)
    if old.pointee.state.owner == thread { return }
    slot.pointee = UnsafeMutableRawPointer(lock)
    drop(old)
  }

  /// Drops the kept locks at the end of the calling thread, except those that it still holds.
  private static func dropKept() {
    let thread = csb_thread_number()
    for index in 0..<Int(CSB_OBJECT_LOCKS) {
      guard let raw = csb_thread_object_locks()[index] else { continue }
      // SAFETY: only `keep` writes the slots.
      let lock = raw.assumingMemoryBound(to: ObjectLock.self)
      if lock.pointee.state.owner == thread { continue }
      csb_thread_object_locks()[index] = nil
      drop(lock)
    }
  }

  // MARK: A row, locked

  private static func find(_ object: UInt, _ row: UnsafeMutablePointer<Row>)
    -> ObjectLock.Pointer?
  {
    var next = row.pointee.first
    while let lock = next {
      if lock.pointee.object == object { return lock }
      next = lock.pointee.next
    }
    return nil
  }

  private static func remove(_ lock: ObjectLock.Pointer, _ row: UnsafeMutablePointer<Row>) {
    if row.pointee.first == lock {
      row.pointee.first = lock.pointee.next
      return
    }
    var before = row.pointee.first
    while let current = before {
      if current.pointee.next == lock {
        current.pointee.next = lock.pointee.next
        return
      }
      before = current.pointee.next
    }
  }

  // MARK: All rows

  /// The number of objects that have a lock now.
  package static var count: Int {
    var count = 0
    for index in 0..<rowCount {
      let row = row(index)
      row.pointee.lock.withLock {
        var next = row.pointee.first
        while let lock = next {
          count += 1
          next = lock.pointee.next
        }
      }
    }
    return count
  }

  // MARK: Fork

  private static func lockForFork() {
    LazyStatics.force()
    forEachRow { $0.pointee.lock.lock() }
  }

  private static func unlockAfterFork() { forEachRow { $0.pointee.lock.unlock() } }

  private static func forgetLostThreads() { forEachRow { forgetLostThreads($0) } }

  private static func forEachRow(_ body: (UnsafeMutablePointer<Row>) -> Void) {
    var index = 0
    while index < rowCount {
      body(row(index))
      index += 1
    }
  }

  /// Removes lost users in a forked child, where the calling thread is the only one. A lock that a
  /// thread of the parent held stays held, and a thread that waits for it traps.
  private static func forgetLostThreads(_ row: UnsafeMutablePointer<Row>) {
    var next = row.pointee.first
    while let lock = next {
      next = lock.pointee.next
      let owner = lock.pointee.state.owner
      let isLost = owner != 0 && Fork.hasLost(owner)
      let isUsed = kept(lock.pointee.object) != nil || (owner != 0 && !isLost)
      lock.pointee.users = (isUsed ? 1 : 0) + (isLost ? 1 : 0)
      if lock.pointee.users == 0 {
        remove(lock, row)
        NodeCache.items.give(UnsafeMutableRawPointer(lock))
      }
    }
  }
}
