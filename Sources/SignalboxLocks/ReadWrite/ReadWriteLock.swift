// ReadWriteLock — many readers, or one writer.
//
// Fast paths  a reader fills a slot of its own and looks at the gate, and empties it and
//             looks at the gate: it writes to nothing that other readers use. A writer
//             takes the lock's word and shuts the gate, and opens it and leaves the word.
// Slow paths  `ReadWriteLock+Reading`, `ReadWriteLock+Writing`.
//
// Touching    `state`, `gate`: any thread, atomically. `label`: by its own lock.
// Invariants  I1  nobody reads while a writer is in (`ReaderGate`).
//             I2  a thread never reads and writes at the same time.

import CSignalbox
import SignalboxRuntime

/// A lock that many threads hold to read, or one to write.
///
/// ```swift
/// let lock = ReadWriteLock()
/// let price = lock.withReadLock { prices[item] }
/// lock.withWriteLock { prices[item] = 12 }
/// ```
///
/// *Beyond Apple's API.* For data that is read far more often than written, and where
/// reading takes longer than a lock costs; else `NSLock` is as good and simpler. Readers
/// do not slow each other down, since each says what it reads in memory of its own; a
/// writer pays for that, by a look at a line of memory for each thread that reads
/// anything in the program.
///
/// A writer keeps new readers out and waits for those inside. When it leaves, the readers
/// that came meanwhile are let in before the next writer. So neither waits for ever for
/// the other, however many of them there are. Among writers the lock goes to whoever comes
/// first, as with `NSLock`.
///
/// Any thread, one made by `pthread_create` too. A thread may read again what it reads
/// already, also while a writer waits. It may not write what it reads: that would wait
/// for itself, and is reported as a deadlock, as is every cycle of threads that wait for
/// each other. A lock is to be left by the thread that took it; to unlock what one does
/// not hold traps, and so does the end of a lock that is held.
// SAFETY: all state is atomic or guarded.
public final class ReadWriteLock: @unchecked Sendable {
  let state = LockState()
  let gate = ReaderGate()
  private let label = LockLabel()

  /// A lock that nobody holds.
  public init() {}

  deinit {
    checkIsFree()
    tellFreed()
  }

  /// The name that reports show.
  public var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  // MARK: Reading

  /// Waits until no writer is there, and holds the lock for reading.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForReading() {
    if !enter() { _ = enterSlow(until: .never) }
    tellTaken()
  }

  /// Holds the lock for reading, if that needs no wait.
  ///
  /// - Returns: whether it does.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func tryLockForReading() -> Bool {
    guard enter() || tryEnterSlow() else { return false }
    tellTaken(byTry: true)
    return true
  }

  /// Waits until no writer is there, at most until `limit` by the wall clock, and holds
  /// the lock for reading.
  ///
  /// - Returns: whether it does.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForReading(before limit: Date) -> Bool {
    let deadline = limit.deadline
    guard enter() || enterSlow(until: deadline) else { return false }
    tellTaken(byTry: !deadline.isNever)
    return true
  }

  // MARK: Writing

  /// Waits until nobody else is there, and holds the lock for writing.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForWriting() {
    _ = takeForWriting(until: .never)
    tellTaken()
  }

  /// Holds the lock for writing, if nobody else is there.
  ///
  /// - Returns: whether it does; `false` also where this thread holds it already.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func tryLockForWriting() -> Bool {
    guard tryTakeForWriting() else { return false }
    tellTaken(byTry: true)
    return true
  }

  /// Waits until nobody else is there, at most until `limit` by the wall clock, and
  /// holds the lock for writing.
  ///
  /// - Returns: whether it does. Readers that came meanwhile have waited for nothing if
  ///   not.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockForWriting(before limit: Date) -> Bool {
    let deadline = limit.deadline
    guard takeForWriting(until: deadline) else { return false }
    tellTaken(byTry: !deadline.isNever)
    return true
  }

  // MARK: Leaving

  /// Leaves the lock, which this thread holds for reading or for writing.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func unlock() {
    tellLeft()
    let thread = csb_thread_number()
    if state.owner == thread { return leaveWriting(thread) }
    guard let slot = ReaderSlot.heldAtHand(key), slot.depth == 0 else { return unlockSlow() }
    leave(slot)
  }

  /// The type and the name, or the address where there is none.
  public var description: String { words }

  var resource: WaitResource { lockResource(self) }

  /// What its slots say.
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

  /// Empties the slot, whether it was held or not.
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
  /// The writer that is in, or waits for the readers to leave.
  package var owner: UInt32 { state.owner }

  public static func == (a: ReadWriteLock, b: ReadWriteLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
