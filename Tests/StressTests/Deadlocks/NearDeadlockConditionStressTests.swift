// NearDeadlockConditionStressTests — conditions and condition locks that look like a deadlock
// for a moment: the search must not report one. A false report ends the process. See
// NearDeadlockStressTests.

import SignalboxLocks
import SignalboxTestSupport
import Testing

let nearConditionSubjects = [
  Subject("near cycles through conditions and values are not reported", nearConditions)
]

@Suite struct NearDeadlockConditionStressTests {
  @Test(arguments: nearConditionSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// How a thread that holds the list almost deadlocks with one that waits for it.
private enum Pattern: CaseIterable {
  case leftJustBefore, holdsTheListForAValue, timedBothWays, waitsWithTheList, signals, recurses
}

private struct Scene: Sendable {
  let list = NSLock()
  let mail = NSConditionLock(condition: 0)
  let stock = NSCondition()
  let tree = NSRecursiveLock()
  let ran = Counter()

  func play(_ pattern: Pattern, _ random: inout SeededGenerator) {
    let soon = Date() + Double(Int.random(in: 0...50, using: &random)) / 1e6
    let pause = Int.random(in: 0...30, using: &random)
    switch pattern {
    case .leftJustBefore:
      mail.lock()
      dawdle(pause)
      mail.unlock()
      list.withLock { dawdle(pause) }
    case .holdsTheListForAValue:
      list.lock()
      mail.lock(whenCondition: Int.random(in: 0..<3, using: &random))
      dawdle(pause)
      mail.unlock()
      list.unlock()
    case .timedBothWays:
      if Bool.random(using: &random) {
        mail.lock()
        if list.lock(before: soon) { list.unlock() }
        mail.unlock()
      } else {
        list.lock()
        if mail.lock(whenCondition: 1, before: soon) { mail.unlock() }
        list.unlock()
      }
    case .waitsWithTheList:
      list.lock()
      stock.lock()
      _ = stock.wait(until: soon)
      stock.unlock()
      list.unlock()
    case .signals:
      stock.lock()
      if Bool.random(using: &random) { stock.signal() } else { stock.broadcast() }
      stock.unlock()
      list.withLock { dawdle(pause) }
    case .recurses:
      tree.withLock {
        tree.withLock { dawdle(pause) }
        if list.lock(before: soon) { list.unlock() }
      }
      list.withLock { tree.withLock { dawdle(pause) } }
    }
    ran.increment()
  }
}

private func nearConditions(_ random: inout SeededGenerator) throws {
  let threads = Int.random(in: 2...8, using: &random)
  let each = 1_200 / threads
  let generators = (0..<threads).map { _ in random.split() }
  let scene = Scene()
  try EveryWaitLooks.during {
    // The last thread sets every value in turn and holds nothing in between.
    try runThreads(threads + 1) { thread in
      if thread == threads {
        var value = 0
        while scene.ran.value < threads * each {
          value = (value + 1) % 3
          scene.mail.lock()
          scene.mail.unlock(withCondition: value)
          dawdle(20)
        }
        return
      }
      var random = generators[thread]
      for _ in 0..<each {
        scene.play(Pattern.allCases.randomElement(using: &random)!, &random)
      }
    }
  }
  try agree(scene.ran.value, threads * each, "patterns played")
}
