// ReadWriteLock — a lock for many readers or one writer.
//
// Fast paths  a reader fills a slot of its own and looks at the gate; to leave, it empties the
//             slot and looks at the gate: it writes to no memory that other readers use. A writer
//             shuts the gate; to leave, it opens the gate.
// Slow paths  `ReadWriteLock+Reading`, `ReadWriteLock+Writing`.
//
// Touching    `gate`: any thread, atomically. `label`: by its own lock.
// Invariants  I1  no thread reads while a writer is inside (`ReaderGate`).
//             I2  a thread never reads and writes at the same time.

import CSignalbox
package import SignalboxRuntime

/// A lock that many threads hold for reading, or one thread for writing.
///
/// ```swift
/// let lock = ReadWriteLock()
/// let price = lock.withReadLock { prices[item] }
/// lock.withWriteLock { prices[item] = 12 }
/// ```
///
/// *Beyond Apple's API.* Use it for data that is read far more often than written, if reading
/// takes longer than a lock costs; otherwise `NSLock` is as good and simpler. Readers do not slow
/// each other down, because each records what it reads in memory of its own. The writer pays for
/// that: it reads one cache line for each thread of the program that holds any read lock.
///
/// A writer keeps new readers out and waits for those inside. When it leaves, it wakes the
/// readers that arrived in the meantime. If another writer acquires the lock before such a
/// reader does, that writer lets the reader in when it leaves. So neither side waits forever for
/// the other, however many threads there are. Among writers, the lock goes to the one that tries
/// first, as with `NSLock`.
///
/// Any thread may use it, including one made by `pthread_create`. A thread that reads may lock
/// for reading again, even while a writer waits. It must not lock for writing: it would wait for
/// itself. That is reported as a deadlock, and so is every cycle of threads that wait for each
/// other. Unlock on the thread that locked. Unlocking a lock that the thread does not hold
/// traps, and so does freeing a lock that is held.
// SAFETY: all state is atomic or guarded.
public final class ReadWriteLock: @unchecked Sendable {
  let gate = ReaderGate()
  private let label = LockLabel()

  /// Creates a free lock.
  public init() {}

  deinit {
    checkIsFree()
    reportFreed()
  }

  /// The name that reports show.
  public var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  // MARK: Reading

  /// Acquires the lock for reading, and waits while a writer holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForReading() {
    if !enter() { _ = enterSlow(until: .never) }
    reportTaken()
  }

  /// Acquires the lock for reading if that is possible without waiting.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func tryLockForReading() -> Bool {
    guard enter() || tryEnterSlow() else { return false }
    reportTaken(byTry: true)
    return true
  }

  /// Acquires the lock for reading. Waits for it if necessary, but gives up when the wall
  /// clock passes `limit`.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForReading(before limit: Date) -> Bool {
    let deadline = limit.deadline
    guard enter() || enterSlow(until: deadline) else { return false }
    reportTaken(byTry: !deadline.isNever)
    return true
  }

  // MARK: Writing

  /// Acquires the lock for writing, and waits while any other thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForWriting() {
    _ = takeForWriting(until: .never)
    reportTaken()
  }

  /// Acquires the lock for writing if it is free.
  ///
  /// - Returns: whether it acquired the lock; also `false` if this thread holds it already.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func tryLockForWriting() -> Bool {
    guard tryTakeForWriting() else { return false }
    reportTaken(byTry: true)
    return true
  }

  /// Acquires the lock for writing. Waits for it if necessary, but gives up when the wall
  /// clock passes `limit`.
  ///
  /// - Returns: whether the call acquired the lock. If it did not, readers that arrived in
  ///   the meantime have waited without need.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForWriting(before limit: Date) -> Bool {
    let deadline = limit.deadline
    guard takeForWriting(until: deadline) else { return false }
    reportTaken(byTry: !deadline.isNever)
    return true
  }

  // MARK: Leaving

  /// Releases the lock, which this thread holds for reading or for writing.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func unlock() {
    reportReleased()
    let thread = csb_thread_number()
    if gate.owner == thread { return leaveWriting(thread) }
    guard let slot = ReaderSlot.heldAtHand(key), slot.depth == 0 else { return unlockSlow() }
    leave(slot)
  }

  /// The type and the name; the address if there is no name.
  public var description: String { words }

  var resource: WaitResource { lockResource(self) }

  /// The value in the slots of this lock's readers.
  @inline(__always)
  var key: UInt { UInt(bitPattern: address) }

  // MARK: Fast paths

  @inline(__always)
  private func enter() -> Bool {
    guard gate.seemsOpen(), let slot = ReaderSlot.free else { return false }
    slot.enter(key)
    guard gate.isOpen() else {
      leave(slot)
      return false
    }
    slot.hold(key)
    return true
  }

  /// Empties the slot, held or not, and wakes a waiting writer.
  @inline(__always)
  func leave(_ slot: ReaderSlot) {
    slot.leave()
    if gate.hasWaitingWriter() { gate.wakeWriter() }
  }
}

extension ReadWriteLock {
  /// Runs `body` with the lock held for reading.
  ///
  /// ```swift
  /// let count = lock.withReadLock { names.count }
  /// ```
  @inlinable
  public func withReadLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lockForReading()
    defer { unlock() }
    return try body()
  }

  /// Runs `body` with the lock held for writing.
  ///
  /// ```swift
  /// lock.withWriteLock { names.append("Ada") }
  /// ```
  @inlinable
  public func withWriteLock<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lockForWriting()
    defer { unlock() }
    return try body()
  }
}

extension ReadWriteLock: NamedLock, Hashable {
  /// The writer that is inside or waits for the readers to leave.
  package var owner: UInt32 { gate.owner }
  package var view: OutsideView {
    OutsideView("the ReadWriteLock", label: label.view, holder: .word(gate.writersAddress))
  }

  public static func == (a: ReadWriteLock, b: ReadWriteLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
