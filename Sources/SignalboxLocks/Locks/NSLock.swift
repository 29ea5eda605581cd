// NSLock — a lock for one thread at a time: Apple's class on one word.
//
// Fast path   a compare-and-swap to take it, an exchange to leave it.
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
/// Any thread, one made by `pthread_create` too. Taking a free lock and leaving it
/// costs an atomic operation each, no system call and no memory. It is not fair: a
/// lock that is left goes to whoever comes first, which need not be who waited
/// longest.
///
/// A thread that locks a lock which it holds already would wait for ever: that, and
/// any cycle of threads that wait for each other, traps with a message that names
/// them. Unlock on the thread that locked. An unlock from another thread succeeds, as
/// with Apple's class, and is reported once on standard error.
///
/// Source: Apple's documentation of `NSLock`.
// SAFETY: all state is atomic or guarded.
open class NSLock: NSLocking, @unchecked Sendable {
  private let state = LockState()
  private let label = LockLabel()

  /// A lock that nobody holds.
  public init() {}

  deinit {
    // Not `description`: what a subclass adds is gone already.
    LockMisuse.checkIsFree(state.owner, words)
    tellFreed()
  }

  /// The name that reports show.
  open var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  /// Takes the lock, waiting for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock() {
    if !state.take(csb_thread_number()) { lockSlow() }
    tellTaken()
  }

  @inline(never)
  private func lockSlow() { _ = state.takeSlow(csb_thread_number(), on: resource) }

  /// Takes the lock if it is free.
  ///
  /// - Returns: whether it was taken; `false` also where this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    tellTaken(byTry: true)
    return true
  }

  /// Takes the lock, waiting for it at most until `limit` by the wall clock.
  ///
  /// - Returns: whether it was taken.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func lock(before limit: Date) -> Bool {
    let thread = csb_thread_number()
    let deadline = limit.deadline
    guard
      state.take(thread) || state.takeSlow(thread, until: deadline, on: resource)
    else { return false }
    tellTaken(byTry: !deadline.isNever)
    return true
  }

  /// Leaves the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  open func unlock() {
    tellLeft()
    let thread = csb_thread_number()
    let old = state.leave()
    if old != thread { unlockSlow(old, thread) }
  }

  /// The type and the name, or the address where there is none.
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
  package var release: WaitRelease { .unlock }
  package var givenName: String? { label.name }

  public static func == (a: NSLock, b: NSLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
