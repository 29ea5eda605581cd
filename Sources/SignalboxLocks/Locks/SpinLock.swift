// SpinLock — a lock whose waiters stay awake, for a while.
//
// Touching    `state`: any thread, atomically. `label`: by its own lock.

import CSignalbox
package import SignalboxRuntime

/// A lock for some instructions, whose waiters look at it until it is free.
///
/// ```swift
/// let lock = SpinLock()
/// lock.withLock { hits += 1 }
/// ```
///
/// *Beyond Apple's API*, which had `OSSpinLock`. **It is rarely right.** A program cannot
/// keep its threads on their processors: one that holds the lock may be taken off in the
/// middle, and all that wait for it then burn the very time that it would need to go on;
/// with a holder of low priority and waiters of high priority that has no end at all. And
/// `NSLock` looks at a held lock for a moment, too, before it sleeps. So this lock is of
/// use only where what it guards takes less than a hundred nanoseconds, where threads are
/// fewer than processors, and where it was measured to be faster.
///
/// To keep harm small it looks for some microseconds by the clock, then gives way to other
/// threads between looks, and after a millisecond sleeps as one who waits for `NSLock` does.
///
/// Any thread. A thread that locks a lock which it holds already, and a cycle of threads
/// that wait for each other, are reported as deadlocks. A lock is to be left by the thread
/// that took it: another one that does so is said once on standard error.
// SAFETY: all state is atomic or guarded.
public final class SpinLock: NSLocking, @unchecked Sendable {
  private let state = LockState()
  private let label = LockLabel()

  /// A lock that nobody holds.
  public init() {}

  deinit {
    LockMisuse.checkIsFree(state.owner, description)
    tellFreed()
  }

  /// The name that reports show.
  public var name: String? {
    get { label.name }
    set { label.set(newValue) }
  }

  /// Takes the lock, waiting for it awake if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lock() {
    let thread = csb_thread_number()
    if !state.take(thread) { state.takeSpinning(thread, on: resource) }
    tellTaken()
  }

  /// Takes the lock if it is free.
  ///
  /// - Returns: whether it was taken; `false` also where this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func `try`() -> Bool {
    guard state.take(csb_thread_number()) else { return false }
    tellTaken(byTry: true)
    return true
  }

  /// Leaves the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func unlock() {
    tellLeft()
    let thread = csb_thread_number()
    let old = state.leave()
    if old != thread { unlockSlow(old, thread) }
  }

  /// The type and the name, or the address where there is none.
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
  package var release: WaitRelease { .unlock }

  public static func == (a: SpinLock, b: SpinLock) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
