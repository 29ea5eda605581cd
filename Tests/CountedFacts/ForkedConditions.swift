// Conditions across fork(2): the threads that wait in the parent are not in the child,
// and what guards their queue may be held by one of them.

import CSlowOnce
import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime

let forkedConditionScenarios: [String: Scenario] = [
  "fork-while-threads-wait-for-conditions": { forkWhileThreadsWait() },
  // The argument: how many values the waiting threads make before the one that takes its time.
  "fork-while-what-waits-need-is-made": {
    // What is made before a thread counts as waiting holds nobody up who forks.
    _ = WaitRegistry.shared.waits
    cso_hold(Int32(integerArgument(0, default: 0) + 1))
    forkWhileThreadsWait()
    report("met", Int(cso_was_met()))
  },
  "fork-while-a-condition-is-signalled-all-the-time": {
    // Signals without the lock held take the queue's lock again and again, so that it is
    // held at some of the forks.
    let shelf = Shelf()
    let stop = Tally()
    let group = DispatchGroup()
    // What the runtime makes once, it has made before the first fork.
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
    // These keep their places: what came after them might never run.
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
      // The lock itself is this thread's across the fork.
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
  },
]

private func forkWhileThreadsWait() {
  let shelf = Shelf()
  let value = NSConditionLock(condition: 0)
  let group = DispatchGroup()
  for _ in 0..<2 {
    DispatchQueue.global().async(group: group) { shelf.take() }
    DispatchQueue.global().async(group: group) {
      value.lock(whenCondition: 1)
      value.unlock()
    }
  }
  untilAsleep(2, for: .condition)
  untilAsleep(2, for: .value)
  let child = csc_fork()
  if child == 0 {
    alarm(30)
    shelf.exchange(3)
    // Signals reach nobody of the parent.
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

/// Products under a condition.
private final class Shelf: @unchecked Sendable {
  // SAFETY: under the condition.
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

  /// So many threads of this process wait, and get a product each.
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

/// A thread of this process waits for a value, and gets it.
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
