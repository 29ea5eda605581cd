// ConditionLocks — every member of the condition lock.

import Foundation

enum ConditionLocks {
  static func run() {
    let plain = NSConditionLock()
    print(plain.condition, plain.name ?? "no name")
    plain.name = "corpus.condition"
    print(plain.name ?? "no name")
    let lock = NSConditionLock(condition: 3)
    print(lock.condition)
    lock.lock()
    print("held:", lock.try(), lock.tryLock(whenCondition: 3))
    print("held:", lock.lock(before: Date(timeIntervalSinceNow: 0.002)))
    lock.unlock(withCondition: 4)
    lock.lock(whenCondition: 4)
    lock.unlock()
    print("as it was:", lock.condition)
    print("another:", lock.tryLock(whenCondition: 5), "this:", lock.tryLock(whenCondition: 4))
    lock.unlock(withCondition: 6)
    print("any:", lock.try())
    lock.unlock()
    print("any:", lock.lock(before: Date(timeIntervalSinceNow: 60)))
    lock.unlock()
    print("this:", lock.lock(whenCondition: 6, before: Date(timeIntervalSinceNow: 60)))
    lock.unlock(withCondition: 7)
    print("gone:", lock.lock(whenCondition: 6, before: Date(timeIntervalSinceNow: 0.002)))
    print(lock.withLock { lock.condition })
    relay()
  }

  /// Two threads take turns, with deadlines that never pass.
  static func relay() {
    let turn = NSConditionLock(condition: 0)
    let lines = Lines()
    Thread.detachNewThread {
      for round in 0..<3 {
        _ = turn.lock(whenCondition: 1, before: Date(timeIntervalSinceNow: 60))
        lines.add("second, \(round)")
        turn.unlock(withCondition: round == 2 ? 2 : 0)
      }
    }
    for round in 0..<3 {
      _ = turn.lock(whenCondition: 0, before: Date(timeIntervalSinceNow: 60))
      lines.add("first, \(round)")
      turn.unlock(withCondition: 1)
    }
    _ = turn.lock(whenCondition: 2, before: Date(timeIntervalSinceNow: 60))
    turn.unlock()
    lines.show()
  }
}
