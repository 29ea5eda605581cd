// ForkedLocks — locks across fork(2): fork handlers of the program that hold them, and locks
// that a thread of the parent held.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime

// The scenarios of locks take the kind of lock as their first argument.

package enum ForkedLockScenario: String, CountedScenario {
  case forkWithHandlersThatHoldOurLocks = "fork-with-handlers-that-hold-our-locks"
  case forkWhileAnotherThreadHoldsALock = "fork-while-another-thread-holds-a-lock"
  case forkAndNamesOfThreads = "fork-and-names-of-threads"
}

extension ForkedLockScenario: Scenario {
  func run() {
    switch self {
    case .forkWithHandlersThatHoldOurLocks:
      HeldAcrossForks.arrange()
      let lock = HeldAcrossForks.lock
      // The first use of a type in a child may need a lock of the Swift runtime that another
      // thread held at the fork, so everything is used before.
      contend(lock)
      let stop = Tally()
      let counts = (0..<2).map { _ in Tally() }
      let group = DispatchGroup()
      // Other threads take the lock all the time, so that some wait for it when the process
      // forks.
      for count in counts {
        DispatchQueue.global().async(group: group) {
          while stop.count == 0 {
            lock.take()
            HeldAcrossForks.count += 1
            lock.leave()
            count.increment()
          }
        }
      }
      for round in 0..<20 {
        // Each of them has held the lock since the last fork.
        let before = counts.map(\.count)
        while zip(counts, before).contains(where: { $0.count == $1 }) { sched_yield() }
        let child = csc_fork()
        if child == 0 {
          alarm(30)
          lock.take()
          let found = HeldAcrossForks.count
          lock.leave()
          if found != HeldAcrossForks.countInTheChild { _exit(20) }
          if !lock.tryToTake() { _exit(21) }
          lock.leave()
          contend(lock)
          _exit(0)
        }
        let status = csc_wait(child)
        if status != 0 { fail("round \(round): the child ended with \(status)") }
      }
      stop.increment()
      group.wait()
      report("parent", counts.allSatisfy { $0.count >= 20 } ? "goes on" : "stood still")
      report("lost", HeldAcrossForks.count - counts.reduce(0) { $0 + $1.count })
    case .forkWhileAnotherThreadHoldsALock:
      let lock = ForkedLock.ofArgument("org.signalbox.facts.lost")
      let isHeld = DispatchSemaphore(value: 0)
      let gate = DispatchSemaphore(value: 0)
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        lock.take()
        isHeld.signal()
        gate.wait()
        lock.leave()
        done.signal()
      }
      isHeld.wait()
      var uses = [("take", { lock.take() }), ("try", { if lock.tryToTake() { _exit(24) } })]
      if let takeBefore = lock.takeBefore {
        uses.append(("takeBefore", { _ = takeBefore(Date() + 60) }))
      }
      for (name, use) in uses {
        let child = csc_fork()
        if child == 0 {
          alarm(30)
          use()
          _exit(0)
        }
        report(name, Int(csc_wait(child)))
      }
      gate.signal()
      done.wait()
      lock.take()
      lock.leave()
      report("parent", "goes on")
    case .forkAndNamesOfThreads:
      // A thread of the parent that the child must not mistake for one of its own.
      let lost = DispatchSemaphore(value: 0)
      let number = Tally()
      let gate = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        for _ in 0..<csb_thread_number() { number.increment() }
        lost.signal()
        gate.wait()
      }
      lost.wait()
      let lostID = csb_thread_find_kernel_id(UInt32(number.count))
      report(
        "kernelIDBefore", lostID != 0 && csb_thread_find_number(lostID) == UInt32(number.count))
      let child = csc_fork()
      if child == 0 {
        let own = csb_thread_number()
        if csb_thread_find_kernel_id(own) != getpid() { _exit(20) }
        if csb_thread_find_kernel_id(UInt32(number.count)) != 0 { _exit(21) }
        if ThreadName.of(UInt32(number.count)) != "thread \(number.count)" { _exit(22) }
        if !ThreadName.of(own).hasSuffix(", the main thread)") { _exit(23) }
        // Nor by the kernel's id, which now belongs to a thread of another process.
        if csb_thread_find_number(lostID) != 0 { _exit(24) }
        if csb_thread_find_number(getpid()) != own { _exit(25) }
        _exit(0)
      }
      report("child", Int(csc_wait(child)))
      gate.signal()
    }
  }
}

// MARK: Locks

/// A lock of any kind, as the operations that it supports.
private struct ForkedLock: Sendable {
  let take: @Sendable () -> Void
  let tryToTake: @Sendable () -> Bool
  var takeBefore: (@Sendable (Date) -> Bool)?
  let leave: @Sendable () -> Void

  /// Returns a lock of the kind that the scenario's argument names.
  static func ofArgument(_ name: String) -> ForkedLock {
    switch arguments.count > 2 ? arguments[2] : "" {
    case "NSLock":
      let lock = NSLock()
      lock.name = name
      return ForkedLock(
        take: { lock.lock() }, tryToTake: { lock.try() },
        takeBefore: { lock.lock(before: $0) }, leave: { lock.unlock() })
    case "NSRecursiveLock":
      let lock = NSRecursiveLock()
      lock.name = name
      return ForkedLock(
        take: {
          lock.lock()
          lock.lock()
        },
        tryToTake: {
          guard lock.try() else { return false }
          lock.lock()
          return true
        },
        takeBefore: { lock.lock(before: $0) },
        leave: {
          lock.unlock()
          lock.unlock()
        })
    case "NSConditionLock":
      let lock = NSConditionLock(condition: 7)
      lock.name = name
      return ForkedLock(
        take: { lock.lock(whenCondition: 7) }, tryToTake: { lock.tryLock(whenCondition: 7) },
        takeBefore: { lock.lock(whenCondition: 7, before: $0) },
        leave: { lock.unlock(withCondition: 7) })
    case "UnfairLock":
      final class Holder: Sendable { let lock = UnfairLock() }
      let holder = Holder()
      return ForkedLock(
        take: { holder.lock.lock() }, tryToTake: { holder.lock.tryLock() },
        leave: { holder.lock.unlock() })
    case "OSAllocatedUnfairLock":
      let lock = OSAllocatedUnfairLock()
      return ForkedLock(
        take: { lock.lock() }, tryToTake: { lock.lockIfAvailable() }, leave: { lock.unlock() })
    case "os_unfair_lock":
      // SAFETY: never freed; the functions are atomic.
      nonisolated(unsafe) let lock = os_unfair_lock_t.allocate(capacity: 1)
      lock.initialize(to: os_unfair_lock())
      return ForkedLock(
        take: { os_unfair_lock_lock(lock) }, tryToTake: { os_unfair_lock_trylock(lock) },
        leave: { os_unfair_lock_unlock(lock) })
    default: fail("no such kind of lock: \(arguments)")
    }
  }
}

/// Makes threads of this process wait for the lock, and lets them take it.
private func contend(_ lock: ForkedLock) {
  let waiters = 3
  let done = DispatchSemaphore(value: 0)
  let taken = Tally()
  lock.take()
  for _ in 0..<waiters {
    DispatchQueue.global().async {
      lock.take()
      taken.increment()
      lock.leave()
      done.signal()
    }
  }
  // All of them are registered as waiting.
  while WaitRegistry.shared.waits.filter({ $0.reason == .lock }).count < waiters {
    sched_yield()
  }
  if taken.count != 0 { _exit(22) }
  lock.leave()
  for _ in 0..<waiters { done.wait() }
  if taken.count != waiters { _exit(23) }
}

/// A library that keeps its own state consistent across a fork.
private enum HeldAcrossForks {
  static let lock = ForkedLock.ofArgument("org.signalbox.facts.handlers")
  // SAFETY: guarded by the lock.
  nonisolated(unsafe) static var count = 0
  // SAFETY: used only by the forking thread.
  nonisolated(unsafe) static var countInTheChild = -1

  static func arrange() {
    // Creates the lock now, so that a child cannot find it half made.
    _ = lock
    let error = csc_at_fork(
      { HeldAcrossForks.lock.take() }, { HeldAcrossForks.lock.leave() },
      {
        HeldAcrossForks.countInTheChild = HeldAcrossForks.count
        HeldAcrossForks.lock.leave()
      })
    if error != 0 { fail("pthread_atfork: \(error)") }
  }
}
