// ForkedConditions — conditions across fork(2). The threads that wait in the parent do not exist
// in the child, and one of them may hold the lock of the queue.

import CSignalbox
import CSlowOnce
import CSystemCalls
import Glibc
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime

package enum ForkedConditionScenario: String, CountedScenario {
  case forkWhileThreadsWaitForConditions = "fork-while-threads-wait-for-conditions"
  case forkWhileWhatWaitsNeedIsMade = "fork-while-what-waits-need-is-made"
  case forkWhileAConditionIsSignalledAllTheTime = "fork-while-a-condition-is-signalled-all-the-time"
}

extension ForkedConditionScenario: Scenario {
  func run() {
    switch self {
    case .forkWhileThreadsWaitForConditions:
      forkWhileThreadsWait()
    // Argument: how many lazy values the waiting threads create before the slow one.
    case .forkWhileWhatWaitsNeedIsMade:
      // Values that a thread creates before it counts as waiting, or while it looks for work, do not
      // block a forking thread.
      _ = WaitRegistry.shared.waits
      cso_hold(Int32(integerArgument(0, default: 0) + 1)) {
        guard csb_thread_self().pointee.wait_record != nil else { return 0 }
        return WaitRecord.ofThisThread.isPublished ? 1 : 0
      }
      forkWhileThreadsWait()
      report("met", Int(cso_was_met()))
    case .forkWhileAConditionIsSignalledAllTheTime:
      // A signal without the lock takes the queue's lock, so it is held at some of the forks.
      let shelf = Shelf()
      let stop = Tally()
      let group = DispatchGroup()
      // The Swift runtime creates what it creates once before the first fork.
      shelf.exchange(2)
      let waits = Tally(), signals = Tally()
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          while stop.count == 0 {
            shelf.condition.lock()
            _ = shelf.condition.wait(until: Date() + 0.000_1)
            shelf.condition.unlock()
            waits.increment()
          }
        }
      }
      while waits.count < 10 { sched_yield() }
      // These items keep their workers: items behind them might never run.
      for _ in 0..<2 {
        DispatchQueue.global().async(group: group) {
          while stop.count == 0 {
            shelf.condition.signal()
            signals.increment()
          }
        }
      }
      while signals.count < 10 { sched_yield() }
      var failed = 0
      for _ in 0..<20 {
        // This thread holds the condition's own lock across the fork.
        shelf.condition.lock()
        let child = csc_fork()
        if child == 0 {
          alarm(30)
          shelf.condition.unlock()
          shelf.exchange(2)
          _exit(0)
        }
        shelf.condition.unlock()
        if csc_wait(child) != 0 { failed += 1 }
      }
      stop.increment()
      group.wait()
      report("failed", failed)
    }
  }
}

private func forkWhileThreadsWait() {
  let shelf = Shelf()
  let value = NSConditionLock(condition: 0)
  let group = DispatchGroup()
  // One after the other: none waits for a lock that another one holds for an instant.
  for count in 1...2 {
    DispatchQueue.global().async(group: group) { shelf.take() }
    untilAsleep(count, for: .condition)
    DispatchQueue.global().async(group: group) {
      value.lock(whenCondition: 1)
      value.unlock()
    }
    untilAsleep(count, for: .value)
  }
  let child = csc_fork()
  if child == 0 {
    alarm(30)
    shelf.exchange(3)
    // Signals reach no thread of the parent.
    shelf.condition.signal()
    shelf.condition.broadcast()
    exchange(by: value)
    _exit(0)
  }
  report("child", Int(csc_wait(child)))
  shelf.put(2)
  value.lock()
  value.unlock(withCondition: 1)
  group.wait()
  report("parent", shelf.condition.withLock { shelf.products } == 0 ? "goes on" : "is wrong")
}

private func untilAsleep(_ count: Int, for reason: WaitReason) {
  while WaitRegistry.shared.waits.filter({ $0.reason == reason }).count < count { sched_yield() }
}

/// Products guarded by a condition.
private final class Shelf: @unchecked Sendable {
  // SAFETY: guarded by the condition.
  let condition = NSCondition()
  var products = 0

  func take() {
    condition.withLock {
      while products == 0 { condition.wait() }
      products -= 1
    }
  }

  func put(_ count: Int) {
    condition.withLock {
      products += count
      condition.broadcast()
    }
  }

  /// Makes `count` threads of this process wait, and gives each a product.
  func exchange(_ count: Int) {
    let done = DispatchSemaphore(value: 0)
    for _ in 0..<count {
      DispatchQueue.global().async {
        self.take()
        done.signal()
      }
    }
    untilAsleep(count, for: .condition)
    put(count)
    for _ in 0..<count { done.wait() }
    if condition.withLock({ products }) != 0 { _exit(20) }
  }
}

/// Makes a thread of this process wait for a value, and sets the value.
private func exchange(by lock: NSConditionLock) {
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    lock.lock(whenCondition: 1)
    lock.unlock(withCondition: 2)
    done.signal()
  }
  untilAsleep(1, for: .value)
  lock.lock(whenCondition: 0)
  lock.unlock(withCondition: 1)
  lock.lock(whenCondition: 2)
  lock.unlock(withCondition: 0)
  done.wait()
}
