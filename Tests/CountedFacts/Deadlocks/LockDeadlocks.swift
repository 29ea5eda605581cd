// LockDeadlocks — how soon a deadlock over locks is reported after it closes: the shapes of the
// textbooks, and mixtures. Each scenario prints the report and the time, and ends.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxThreads
import Synchronization

package enum LockDeadlockScenario: String, CountedScenario {
  case deadlockOfTwoLocks = "deadlock-of-two-locks"
  case deadlockOfPhilosophers = "deadlock-of-philosophers"
  case deadlockOfAMixture = "deadlock-of-a-mixture"
  case deadlockOfALockAQueueAndAJoin = "deadlock-of-a-lock-a-queue-and-a-join"
  case deadlockOfALockAndAGroup = "deadlock-of-a-lock-and-a-group"
  case deadlockOfAnObjectAndAGroup = "deadlock-of-an-object-and-a-group"
  case deadlockOfTheMainThread = "deadlock-of-the-main-thread"
}

extension LockDeadlockScenario: Scenario {
  func run() {
    switch self {
    case .deadlockOfTwoLocks:
      let cycle = Cycle(threads: 2)
      let (a, b) = (named("a"), named("b"))
      cycle.thread { a.withLock { cycle.close { b.withLock {} } } }
      cycle.thread { b.withLock { cycle.close { a.withLock {} } } }
      cycle.waitForReport()
    // Each philosopher takes the fork on the left, and then waits for the one on the right.
    case .deadlockOfPhilosophers:
      let count = integerArgument(0, default: 5)
      let cycle = Cycle(threads: count)
      let forks = (0..<count).map { named("fork \($0)") }
      for seat in 0..<count {
        cycle.thread {
          forks[seat].withLock { cycle.close { forks[(seat + 1) % count].withLock {} } }
        }
      }
      cycle.waitForReport()
    // A lock, a queue, an item of a group, and another lock, on four threads.
    case .deadlockOfAMixture:
      let cycle = Cycle(threads: 4)
      let (first, last) = (named("first"), named("last"))
      let queue = DispatchQueue(label: "queue")
      let group = DispatchGroup()
      cycle.thread { first.withLock { cycle.close { queue.sync {} } } }
      cycle.thread {
        queue.sync {
          DispatchQueue.global().async(group: group) { cycle.close { last.withLock {} } }
          cycle.close { group.wait() }
        }
      }
      cycle.thread { last.withLock { cycle.close { first.withLock {} } } }
      cycle.waitForReport()
    // A lock, a queue, a thread that is joined, and another lock, on four threads.
    case .deadlockOfALockAQueueAndAJoin:
      let cycle = Cycle(threads: 4)
      let (first, last) = (named("first"), named("last"))
      let queue = DispatchQueue(label: "queue")
      let joined = JoinableThread { cycle.close { last.withLock {} } }
      joined.thread.name = "joined"
      cycle.thread { first.withLock { cycle.close { queue.sync {} } } }
      cycle.thread { queue.sync { cycle.close { joined.join() } } }
      cycle.thread { last.withLock { cycle.close { first.withLock {} } } }
      joined.start()
      cycle.waitForReport()
    case .deadlockOfALockAndAGroup:
      let cycle = Cycle(threads: 2)
      let lock = named("lock")
      cycle.thread {
        let group = DispatchGroup()
        lock.withLock {
          DispatchQueue.global().async(group: group) { cycle.close { lock.withLock {} } }
          cycle.close { group.wait() }
        }
      }
      cycle.waitForReport()
    case .deadlockOfAnObjectAndAGroup:
      let cycle = Cycle(threads: 2)
      let object = Tally()
      cycle.thread {
        let group = DispatchGroup()
        synchronized(object) {
          DispatchQueue.global().async(group: group) { cycle.close { synchronized(object) {} } }
          cycle.close { group.wait() }
        }
      }
      cycle.waitForReport()
    case .deadlockOfTheMainThread:
      let cycle = Cycle(threads: 2)
      let (a, b) = (named("a"), named("b"))
      cycle.thread { a.withLock { cycle.close { b.withLock {} } } }
      b.withLock { cycle.close { a.withLock {} } }
    }
  }
}

private func named(_ name: String) -> NSLock {
  let lock = NSLock()
  lock.name = name
  return lock
}

/// Threads that meet and then wait for each other.
private final class Cycle: Sendable {
  private let missing: Atomic<Int>
  private let all = DispatchSemaphore(value: 0)
  private let threads: Int
  /// When the last of them began its last step.
  private let closed = Atomic<UInt64>(0)

  init(threads: Int) {
    self.threads = threads
    missing = Atomic(threads)
    BlockedReport.onDeadlock { [self] text in
      let now = milliseconds()
      let moment = Double(bitPattern: closed.load(ordering: .sequentiallyConsistent))
      report("report", text)
      report("microseconds", Int((now - moment) * 1000))
      exit(EXIT_SUCCESS)
    }
  }

  /// Waits for the others, and then takes the step that never ends.
  func close(_ lastStep: () -> Void) {
    if missing.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 {
      for _ in 1..<threads { all.signal() }
    } else {
      all.wait()
    }
    // Times are positive, so their bit patterns have the same order.
    closed.max(milliseconds().bitPattern, ordering: .sequentiallyConsistent)
    lastStep()
  }

  func thread(_ body: @escaping @Sendable () -> Void) { startThread(body) }

  func waitForReport() -> Never {
    while true { pause() }
  }
}

// MARK: Orders

package enum LockOrderScenario: String, CountedScenario {
  case lockOrder = "lock-order"
  case lockOrderInAChild = "lock-order-in-a-child"
}

extension LockOrderScenario: Scenario {
  func run() {
    switch self {
    case .lockOrder:
      let (first, second) = (named("first"), named("second"))
      takeBoth(first, second)
      takeBoth(second, first)
      takeBoth(first, second)
    // The parent has seen one order, and the child sees the other. Another thread takes locks all
    // the time, so that it may be in the middle of a step at the fork.
    case .lockOrderInAChild:
      let (first, second) = (named("first"), named("second"))
      takeBoth(first, second)
      let turns = Tally()
      startThread {
        while true {
          takeBoth(NSLock(), NSLock())
          turns.increment()
        }
      }
      // The Swift runtime creates what it creates once before the first fork.
      while turns.count < 100 { sched_yield() }
      for _ in 0..<20 {
        let child = fork()
        if child == 0 {
          alarm(60)
          takeBoth(first, second)
          _exit(0)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        if status != 0 { fail("a child ended with \(status)") }
      }
      second.lock()
      let child = fork()
      if child == 0 {
        alarm(60)
        first.withLock {}
        _exit(0)
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      report("child", status)
      exit(EXIT_SUCCESS)
    }
  }
}

@inline(never)
private func takeBoth(_ a: NSLock, _ b: NSLock) { a.withLock { b.withLock {} } }
