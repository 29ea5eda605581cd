// NSLock — a lock for one thread at a time: Apple's class on one word.
//
// Fast path   a compare-and-swap to acquire it, an exchange to release it.
// Slow path   `LockState+Waiting`.
//
// Touching    `state`: any thread, atomically. `label`: by its own lock.

import CSignalbox
package import SignalboxRuntime

/// A lock that one thread holds at a time.
///
/// ```swift
/// let lock = NSLock()
/// lock.withLock { balance += 10 }
/// ```
///
/// Any thread may use it, including one made by `pthread_create`. Acquiring a free lock and
/// releasing it costs one atomic operation each, no system call and no memory. The lock is not
/// fair: a released lock goes to the thread that tries first, which need not be the one that has
/// waited longest.
///
/// A thread that locks a lock which it holds already would wait forever. That, and any cycle of
/// threads that wait for each other through such locks, is reported once on standard error with a
/// message that names them. It does not trap, because another thread may unlock. Unlock on the
/// thread that locked. An unlock from another thread succeeds, as with Apple's class, and is
/// reported once on standard error.
///
/// Source: Apple's documentation of `NSLock`.
// SAFETY: all state is atomic or guarded.
open class NSLock: NSLocking, @unchecked Sendable {
  private let state = LockState()
  private let label = LockLabel()

  /// Creates a free lock.
  public init() {}

  deinit {
    // Do not use `description`: the fields of a subclass are already destroyed.
    LockMisuse.checkIsFree(state.owner, words)
    reportFreed()
  }

  /// The name that reports show.
  open var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  /// Acquires the lock, and waits for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    if !state.take(csb_thread_number()) { lockSlow() }
    reportTaken()
  }

  @inline(never)
  private func lockSlow() { _ = state.takeSlow(csb_thread_number(), on: resource) }

  /// Acquires the lock if it is free.
  ///
  /// - Returns: whether it acquired the lock; also `false` if this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    reportTaken(byTry: true)
    return true
  }

  /// Acquires the lock. Waits for it if necessary, but gives up when the wall
  /// clock passes `limit`.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(before limit: Date) -> Bool {
    let thread = csb_thread_number()
    let deadline = limit.deadline
    guard
      state.take(thread) || state.takeSlow(thread, until: deadline, on: resource)
    else { return false }
    reportTaken(byTry: !deadline.isNever)
    return true
  }

  /// Releases the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    reportReleased()
    let thread = csb_thread_number()
    let old = state.leave()
    if old != thread { unlockSlow(old, thread) }
  }

  /// The type and the name; the address if there is no name.
  open var description: String { words }

  @inline(never)
  private func unlockSlow(_ old: UInt32, _ thread: UInt32) {
    let owner = old & LockState.ownerMask
    if owner != thread {
      LockMisuse.wasUnlocked(owner, by: thread, description, isLeft: true)
    }
    state.endLeaving(old)
  }

  private var resource: WaitResource { lockResource(self) }
}

extension NSLock: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var view: OutsideView { state.view("the NSLock", label.view) }
  package var release: WaitRelease { .unlock }
  package var givenName: String? { label.name }

  public static func == (a: NSLock, b: NSLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
