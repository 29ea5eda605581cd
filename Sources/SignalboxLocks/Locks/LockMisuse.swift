// LockMisuse — what is said when a lock is taken or left in a way that cannot work.

import CSignalbox
import SignalboxRuntime
import Synchronization

package enum LockMisuse {
  /// Looks at a lock that is held before a thread waits for it, which it began to do
  /// at the time `since`.
  static func check(
    _ owner: UInt32, _ thread: UInt32, _ deadline: Deadline, _ resource: WaitResource,
    since: UInt64? = nil
  ) {
    if owner == thread && deadline.isNever {
      DeadlockReport.tell(ofItself: resource, since: since)
    }
    if Fork.hasHappened && Fork.hasLost(owner) {
      clientBug(
        "\(resource.description) is held by a thread that stayed in the parent when the process "
          + "forked: nobody here can leave it. Take it in a handler of pthread_atfork before the "
          + "fork, and leave it after it in both processes.")
    }
  }

  /// Which kinds of wrong unlocks were said: once each, or a program that does it all the
  /// time would say little else. A bit for each kind.
  static let said = Atomic<UInt32>(0)

  /// A lock was unlocked by a thread that does not hold it. Says so, and the program goes on
  /// as it would elsewhere.
  ///
  /// - Parameters:
  ///   - owner: who holds it, or held it; 0 if nobody.
  ///   - thread: who unlocked it.
  ///   - lock: as messages name it.
  ///   - isLeft: whether the lock has been left all the same; a recursive one is not, as a
  ///     mutex of that kind gives an error, which most programs do not look at.
  @inline(never)
  static func wasUnlocked(_ owner: UInt32, by thread: UInt32, _ lock: String, isLeft: Bool) {
    let kind: UInt32 = 1 << ((owner == 0 ? 0 : 1) + (isLeft ? 0 : 2))
    // order: relaxed; only that it is said once matters.
    if said.bitwiseOr(kind, ordering: .relaxed).oldValue & kind != 0 { return }
    let act = "\(lock) was unlocked by \(ThreadName.of(thread))"
    complain(
      owner == 0
        ? "\(act) while nobody held it: unlock it as often as it is locked."
        : "\(act), and \(isLeft ? "is" : "stays") held by \(ThreadName.of(owner)): unlock it on "
          + "the thread that locked it.")
  }

  /// A lock is about to be freed.
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

  /// A thread waits for a condition that it has not locked.
  @inline(never)
  static func waitsUnlocked(_ thread: UInt32, _ owner: UInt32, _ condition: String) -> Never {
    clientBug(
      "\(ThreadName.of(thread)) waits for \(condition) without holding it"
        + (owner == 0 ? "" : ", which \(ThreadName.of(owner)) does")
        + ": lock it, test under it what is waited for, and wait only then.")
  }

  /// A condition is about to be freed for which threads wait.
  @inline(never)
  static func wasFreed(awaited condition: String) -> Never {
    clientBug(
      "\(condition) was released while a thread waits for it: keep a reference as long as any "
        + "thread waits.")
  }
}
