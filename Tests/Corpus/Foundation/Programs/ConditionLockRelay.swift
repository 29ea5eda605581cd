// ConditionLockRelay — two threads take turns without a deadline, as in the documentation.

import Foundation

enum ConditionLockRelay {
  static func run() {
    let hasNothing = 0
    let hasSomething = 1
    let lock = NSConditionLock(condition: hasNothing)
    let lines = Lines()
    Thread.detachNewThread {
      for round in 0..<3 {
        lock.lock(whenCondition: hasNothing)
        lines.add("made \(round)")
        lock.unlock(withCondition: hasSomething)
      }
    }
    for round in 0..<3 {
      lock.lock(whenCondition: hasSomething)
      lines.add("taken \(round)")
      lock.unlock(withCondition: hasNothing)
    }
    print(lines.joined())
  }
}
