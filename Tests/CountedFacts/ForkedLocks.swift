// Locks across fork(2): handlers of the program that hold them, and locks that a thread
// of the parent held.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime

let forkedLockScenarios: [String: Scenario] = [
  "fork-with-handlers-that-hold-our-locks": {
    HeldAcrossForks.arrange()
    let stop = Tally()
    let counts = (0..<2).map { _ in Tally() }
    let group = DispatchGroup()
    // Others want the lock all the time, so that it is awaited when the fork comes.
    for count in counts {
      DispatchQueue.global().async(group: group) {
        while stop.count == 0 {
          HeldAcrossForks.lock.withLock { HeldAcrossForks.count += 1 }
          count.increment()
        }
      }
    }
    for round in 0..<20 {
      // Each of them has had it since the last fork.
      let before = counts.map(\.count)
      while zip(counts, before).contains(where: { $0.count == $1 }) { sched_yield() }
      let child = csc_fork()
      if child == 0 {
        alarm(30)
        let found = HeldAcrossForks.lock.withLock { HeldAcrossForks.count }
        if found != HeldAcrossForks.countInTheChild { _exit(20) }
        if !HeldAcrossForks.lock.try() { _exit(21) }
        HeldAcrossForks.lock.unlock()
        contendInTheChild(HeldAcrossForks.lock)
        _exit(0)
      }
      let status = csc_wait(child)
      if status != 0 { fail("round \(round): the child ended with \(status)") }
    }
    stop.increment()
    group.wait()
    report("parent", counts.allSatisfy { $0.count > 20 } ? "goes on" : "stood still")
    report("lost", HeldAcrossForks.count - counts.reduce(0) { $0 + $1.count })
  },
  "fork-while-another-thread-holds-a-lock": {
    let lock = NSLock()
    lock.name = "org.signalbox.facts.lost"
    let isHeld = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      lock.withLock {
        isHeld.signal()
        gate.wait()
      }
      done.signal()
    }
    isHeld.wait()
    for (name, use) in [
      ("lock", { lock.lock() }), ("lockBefore", { _ = lock.lock(before: Date() + 60) }),
      ("try", { if lock.try() { _exit(24) } }),
    ] as [(String, () -> Void)] {
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
    lock.withLock {}
    report("parent", "goes on")
  },
  "fork-and-names-of-threads": {
    // A thread of the parent's that the child must not take one of its own for.
    let lost = DispatchSemaphore(value: 0)
    let number = Tally()
    let gate = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      for _ in 0..<csb_thread_number() { number.increment() }
      lost.signal()
      gate.wait()
    }
    lost.wait()
    report("kernelIDBefore", csb_thread_find_kernel_id(UInt32(number.count)) != 0)
    let child = csc_fork()
    if child == 0 {
      let own = csb_thread_number()
      if csb_thread_find_kernel_id(own) != getpid() { _exit(20) }
      if csb_thread_find_kernel_id(UInt32(number.count)) != 0 { _exit(21) }
      if ThreadName.of(UInt32(number.count)) != "thread \(number.count)" { _exit(22) }
      if !ThreadName.of(own).hasSuffix(", the main thread)") { _exit(23) }
      _exit(0)
    }
    report("child", Int(csc_wait(child)))
    gate.signal()
  },
]

/// Threads of the child wait for the lock, and get it.
private func contendInTheChild(_ lock: NSLock) {
  let waiters = 3
  let done = DispatchSemaphore(value: 0)
  let taken = Tally()
  lock.lock()
  for _ in 0..<waiters {
    DispatchQueue.global().async {
      lock.withLock { _ = taken.increment() }
      done.signal()
    }
  }
  // All of them are known to wait.
  while WaitRegistry.shared.waits.filter({ $0.reason == .lock }).count < waiters {
    sched_yield()
  }
  if taken.count != 0 { _exit(22) }
  lock.unlock()
  for _ in 0..<waiters { done.wait() }
  if taken.count != waiters { _exit(23) }
}

/// What a library does that keeps its own state whole across a fork.
private enum HeldAcrossForks {
  static let lock = NSLock()
  // SAFETY: under the lock.
  nonisolated(unsafe) static var count = 0
  // SAFETY: of the thread that forks.
  nonisolated(unsafe) static var countInTheChild = -1

  static func arrange() {
    lock.name = "org.signalbox.facts.handlers"
    let error = csc_at_fork(
      { HeldAcrossForks.lock.lock() }, { HeldAcrossForks.lock.unlock() },
      {
        HeldAcrossForks.countInTheChild = HeldAcrossForks.count
        HeldAcrossForks.lock.unlock()
      })
    if error != 0 { fail("pthread_atfork: \(error)") }
  }
}
