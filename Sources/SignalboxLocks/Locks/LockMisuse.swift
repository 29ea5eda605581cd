// LockMisuse — reports and traps for locks that are acquired or released incorrectly.

import CSignalbox
import SignalboxDiagnostics
import SignalboxRuntime

package enum LockMisuse {
  /// Call before a thread waits for a held lock. Reports a thread that would wait for itself, and
  /// traps if the holder stayed in the parent process. The thread has waited since `since`. `owner`
  /// is 0 if the holder has released the lock in the meantime.
  static func check(
    _ owner: UInt32, _ thread: UInt32, _ deadline: Deadline, _ resource: WaitResource,
    since: UInt64? = nil
  ) {
    guard owner != 0 else { return }
    if owner == thread && deadline.isNever {
      DeadlockReport.tell(ofItself: resource, since: since)
    }
    if Fork.hasHappened && Fork.hasLost(owner) {
      clientBug(
        "\(resource.description) is held by a thread that stayed in the parent when the process "
          + "forked: no thread of this process can unlock it. Lock it in a handler of "
          + "pthread_atfork before the fork, and unlock it after the fork in both processes.")
    }
  }

  /// The kinds of wrong unlocks that were reported, one bit each. Each kind is reported once, so
  /// that a program that repeats the mistake does not flood standard error. Any thread sets them.
  static let said = Relaxed<UInt32>(0)

  /// Reports that a thread unlocked a lock which it does not hold. The program continues, as it
  /// would with other lock implementations.
  ///
  /// - Parameters:
  ///   - owner: the thread that holds or held it; 0 if none.
  ///   - thread: the thread that unlocked it.
  ///   - lock: the lock's name in messages.
  ///   - isLeft: whether the lock was released nevertheless. A recursive lock is not, like a
  ///     recursive mutex, which returns an error that most programs ignore.
  @inline(never)
  static func wasUnlocked(_ owner: UInt32, by thread: UInt32, _ lock: String, isLeft: Bool) {
    let kind: UInt32 = 1 << ((owner == 0 ? 0 : 1) + (isLeft ? 0 : 2))
    if said.set(kind) & kind != 0 { return }
    let act = "\(lock) was unlocked by \(ThreadName.of(thread))"
    warn(
      owner == 0
        ? "\(act) while nobody held it: unlock it as often as it is locked."
        : "\(act), and \(isLeft ? "is" : "stays") held by \(ThreadName.of(owner)): unlock it on "
          + "the thread that locked it.")
  }

  /// Traps if a lock that is about to be freed is held.
  @inline(__always)
  static func checkIsFree(_ owner: UInt32, _ lock: @autoclosure () -> String) {
    if owner != 0 { wasFreed(owner, lock()) }
  }

  @inline(never)
  private static func wasFreed(_ owner: UInt32, _ lock: String) -> Never {
    clientBug(
      "\(lock) was released while \(ThreadName.of(owner)) held it: unlock it before the last "
        + "reference goes away.")
  }

  // MARK: Conditions

  /// Traps because a thread waits for a condition that it has not locked.
  @inline(never)
  static func waitsUnlocked(_ thread: UInt32, _ owner: UInt32, _ condition: String) -> Never {
    clientBug(
      "\(ThreadName.of(thread)) waits for \(condition) without holding it"
        + (owner == 0 ? "" : ", which \(ThreadName.of(owner)) does")
        + ": lock it, check the condition while holding the lock, and wait only then.")
  }

  /// Traps because a condition that threads wait for is about to be freed.
  @inline(never)
  static func wasFreed(awaited condition: String) -> Never {
    clientBug(
      "\(condition) was released while a thread waits for it: keep a reference as long as any "
        + "thread waits.")
  }
}
