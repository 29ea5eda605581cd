// ConditionLockTests — D1: a wait until a far-future date waits. In the toolchain the deadline
// overflows, so a contended `NSConditionLock.lock()`, which waits until then, traps.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("D1: waits without an end", .guarded)
struct ConditionLockTests {
  enum Wait: String, CaseIterable {
    case conditionLock, conditionLockForValue, conditionLockBefore, conditionLockForValueBefore
    case lockBefore, recursiveLockBefore, conditionUntil
  }

  /// Each thread sleeps, the test checks that, and then lets it continue.
  @Test(arguments: Wait.allCases)
  func aWaitUntilTheDistantFutureWaits(_ wait: Wait) throws {
    let name = "endless \(wait.rawValue)"
    let results = EventLog<Bool>()
    let value = NSConditionLock(condition: 0)
    let lock = NSLock()
    let recursive = NSRecursiveLock()
    let condition = NSCondition()
    value.name = name
    lock.name = name
    recursive.name = name
    condition.name = name
    if wait != .conditionUntil {
      for lock in [value, lock, recursive] as [any NSLocking] { lock.lock() }
    }
    let waiter = try PlainThread {
      switch wait {
      case .conditionLock:
        value.lock()
        results.append(true)
        value.unlock()
      case .conditionLockForValue:
        value.lock(whenCondition: 1)
        results.append(true)
        value.unlock()
      case .conditionLockBefore:
        results.append(value.lock(before: .distantFuture))
        value.unlock()
      case .conditionLockForValueBefore:
        results.append(value.lock(whenCondition: 1, before: .distantFuture))
        value.unlock()
      case .lockBefore:
        results.append(lock.lock(before: .distantFuture))
        lock.unlock()
      case .recursiveLockBefore:
        results.append(recursive.lock(before: .distantFuture))
        recursive.unlock()
      case .conditionUntil:
        condition.lock()
        results.append(condition.wait(until: .distantFuture))
        condition.unlock()
      }
    }
    try WaitWatch.waitUntilAsleep(
      for: wait == .conditionUntil ? .condition : .lock, on: "\"\(name)\"")
    #expect(results.all.isEmpty)
    if wait == .conditionUntil {
      condition.withLock { condition.signal() }
    } else {
      lock.unlock()
      recursive.unlock()
      value.unlock(withCondition: 1)
    }
    try waiter.join()
    #expect(results.all == [true])
  }

  /// The document's message queue, contended: it runs until it is asked to end.
  @Test func theDocumentsProducerAndConsumerRunContended() throws {
    let noMessages = 0, hasMessages = 1
    let lock = NSConditionLock(condition: noMessages)
    let queue = Guarded<[Int]>([])
    let received = Guarded<[Int]>([])
    let messages = 5_000
    try runThreads(2) { thread in
      if thread == 0 {
        for number in 0..<messages {
          lock.lock()
          queue.withValue { $0.append(number) }
          lock.unlock(withCondition: hasMessages)
        }
      } else {
        while received.current.count < messages {
          lock.lock(whenCondition: hasMessages)
          let taken = queue.withValue { queue in
            defer { queue.removeAll() }
            return queue
          }
          received.withValue { $0 += taken }
          lock.unlock(withCondition: noMessages)
        }
      }
    }
    #expect(received.current == Array(0..<messages))
  }
}
