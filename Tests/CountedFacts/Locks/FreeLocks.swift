// FreeLocks — the cost of uncontended locks: no system call.

import Glibc
import SignalboxLocks

package enum FreeLockScenario: String, CountedScenario {
  case systemCallsOfLocksNobodyWaitsFor = "system-calls-of-locks-nobody-waits-for"
}

extension FreeLockScenario: Scenario {
  func run() {
    switch self {
    case .systemCallsOfLocksNobodyWaitsFor:
      SystemCallTrace.countOfMainThread {
        let recursive = NSRecursiveLock()
        let condition = NSCondition()
        let value = NSConditionLock(condition: 0)
        let once = Once()
        let lazy = Lazy { getpid() }
        let ran = Tally()
        let use = {
          recursive.withLock { recursive.withLock { _ = ran.increment() } }
          condition.withLock {
            condition.signal()
            condition.broadcast()
          }
          condition.signal()
          value.lock(whenCondition: 0)
          value.unlock(withCondition: 1)
          if value.tryLock(whenCondition: 0) { fail("a lock with another condition was taken") }
          value.lock()
          value.unlock(withCondition: 0)
          once.perform { _ = ran.increment() }
          if lazy.value == 0 { fail("a process of number 0") }
        }
        use()
        SystemCallTrace.counting { for _ in 0..<1_000 { use() } }
        report("ran", ran.count)
      }
    }
  }
}
