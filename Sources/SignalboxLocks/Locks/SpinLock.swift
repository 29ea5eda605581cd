// SpinLock — a lock whose waiters stay awake for a while.
//
// Touching    `state`: any thread, atomically. `label`: by its own lock.

import CSignalbox
package import SignalboxRuntime

/// A lock for a few instructions. Its waiters poll it until it is free.
///
/// ```swift
/// let lock = SpinLock()
/// lock.withLock { hits += 1 }
/// ```
///
/// *Beyond Apple's API*, which had `OSSpinLock`. **It is rarely the right lock.** A program
/// cannot keep its threads on their processors. A holder may be preempted, and all threads that
/// wait for it then waste processor time until it continues; with a holder of low priority and
/// waiters of high priority, that may never end. `NSLock`, too, polls a held lock for a moment
/// before it sleeps. So this lock is useful only if the work under it takes less than a hundred
/// nanoseconds, if there are fewer threads than processors, and if you have measured that it is
/// faster.
///
/// To limit the harm, a waiter polls for 20 microseconds by the clock, then yields to other
/// threads between polls, and after a millisecond sleeps like a waiter of `NSLock`.
///
/// Any thread may use it. A thread that locks a lock which it holds already, and a cycle of
/// threads that wait for each other, are reported as deadlocks. Unlock on the thread that locked:
/// an unlock by another thread succeeds and is reported once on standard error.
// SAFETY: all state is atomic or guarded.
public final class SpinLock: NSLocking, @unchecked Sendable {
  private let state = LockState()
  private let label = LockLabel()

  /// Creates a free lock.
  public init() {}

  deinit {
    LockMisuse.checkIsFree(state.owner, description)
    reportFreed()
  }

  /// The name that reports show.
  public var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  /// Acquires the lock. If another thread holds it, stays awake for up to a millisecond, then
  /// sleeps.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lock() {
    let thread = csb_thread_number()
    if !state.take(thread) { state.takeSpinning(thread, on: resource) }
    reportTaken()
  }

  /// Acquires the lock if it is free.
  ///
  /// - Returns: whether it acquired the lock; also `false` if this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    reportTaken(byTry: true)
    return true
  }

  /// Releases the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func unlock() {
    reportReleased()
    let thread = csb_thread_number()
    let old = state.leave()
    if old != thread { unlockSlow(old, thread) }
  }

  /// The type and the name; the address if there is no name.
  public var description: String { words }

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

extension SpinLock: NamedLock, Hashable {
  package var owner: UInt32 { state.owner }
  package var view: OutsideView { state.view("the SpinLock", label.view) }
  package var release: WaitRelease { .unlock }

  public static func == (a: SpinLock, b: SpinLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
