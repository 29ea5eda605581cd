// ConditionStressTests — conditions, condition locks, recursive locks and lazy values, with 2 to
// 64 threads: no wake is lost or stolen, and only the holder is inside.

import SignalboxLocks
import SignalboxTestSupport
import Testing

let conditionSubjects = [
  Subject("each token put under a condition is taken once", exchangeTokens),
  Subject("a condition's signals reach those who wait, whoever times out", signalAmongTimeouts),
  Subject("a broadcast lets everybody go on who waits", meetByBroadcast),
  Subject("condition locks go round a ring of values", ringOfValues),
  Subject("what goes through a condition lock arrives once, whoever times out", exchangeByValue),
  Subject("a recursive lock keeps others out at every depth", recurse),
  Subject("a lazy value is made once", raceLazy),
]

@Suite struct ConditionStressTests {
  @Test(arguments: conditionSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// From 2 to 64 threads, mostly few.
private func threadCount(_ random: inout SeededGenerator) -> Int {
  min(64, 1 + Int.random(in: 1...2, using: &random) << Int.random(in: 0...5, using: &random))
}

private func soon(_ random: inout SeededGenerator) -> Date {
  Bool.random(using: &random)
    ? .distantPast : Date() + Double(Int.random(in: 0...100, using: &random)) / 1e6
}

// MARK: Conditions

/// Half the threads put tokens, half take them. Signals come with or without the lock held, and
/// some come when no thread waits.
private func exchangeTokens(_ random: inout SeededGenerator) throws {
  let pairs = max(1, threadCount(&random) / 2)
  let each = max(20, 2_000 / pairs)
  let condition = NSCondition()
  let tokens = Unguarded(0)
  let taken = Unguarded(0)
  let generators = (0..<2 * pairs).map { _ in random.split() }
  try runThreads(2 * pairs) { thread in
    var random = generators[thread]
    for _ in 0..<each {
      if thread < pairs {
        condition.lock()
        while tokens.value == 0 { condition.wait() }
        tokens.value -= 1
        taken.increment()
        condition.unlock()
      } else {
        let inside = Bool.random(using: &random)
        condition.lock()
        tokens.increment()
        if inside { condition.signal() }
        condition.unlock()
        if !inside {
          dawdle(Int.random(in: 0...40, using: &random))
          condition.signal()
        }
        if Int.random(in: 0..<8, using: &random) == 0 { condition.signal() }
      }
    }
  }
  try agree(tokens.value, 0, "tokens left")
  try agree(taken.value, pairs * each, "tokens taken")
}

/// Waiters with and without a deadline compete for signals, one for each token. A waiter that
/// gives up must not consume another waiter's signal.
private func signalAmongTimeouts(_ random: inout SeededGenerator) throws {
  let waiters = threadCount(&random)
  let patient = max(1, waiters / 2)
  let each = max(10, 600 / waiters)
  let condition = NSCondition()
  let tokens = Unguarded(0)
  let isOver = Unguarded(false)
  let taken = Counter()
  let patientLeft = Counter()
  let generators = (0...waiters).map { _ in random.split() }
  try runThreads(waiters + 1) { thread in
    var random = generators[thread]
    if thread == waiters {
      // Puts as many tokens as the waiters without a deadline need. The others take some
      // tokens, which are put again.
      while patientLeft.value < patient {
        condition.lock()
        tokens.value += 1
        condition.signal()
        condition.unlock()
        dawdle(Int.random(in: 0...200, using: &random))
      }
      condition.withLock {
        isOver.value = true
        condition.broadcast()
      }
    } else if thread < patient {
      for _ in 0..<each {
        condition.lock()
        while tokens.value == 0 { condition.wait() }
        tokens.value -= 1
        condition.unlock()
      }
      patientLeft.increment()
    } else {
      condition.lock()
      while !isOver.value {
        if tokens.value > 0 {
          tokens.value -= 1
          taken.increment()
        }
        // Does not take the token first: another waiter may need the signal that came with it.
        if condition.wait(until: soon(&random)) && tokens.value > 0 { condition.signal() }
      }
      condition.unlock()
    }
  }
  try agree(patientLeft.value, patient, "threads that waited without a deadline and ended")
}

/// A barrier of the textbooks: the last thread to arrive wakes all the others.
private func meetByBroadcast(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = max(5, 400 / threads)
  let condition = NSCondition()
  let here = Unguarded(0)
  let round = Unguarded(0)
  let torn = Counter()
  let generators = (0..<threads).map { _ in random.split() }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for number in 0..<rounds {
      dawdle(Int.random(in: 0...100, using: &random))
      condition.lock()
      if round.value != number { torn.increment() }
      here.increment()
      if here.value == threads {
        here.value = 0
        round.value += 1
        let inside = Bool.random(using: &random)
        if inside { condition.broadcast() }
        condition.unlock()
        if !inside { condition.broadcast() }
      } else {
        while round.value == number { condition.wait() }
        condition.unlock()
      }
    }
  }
  try agree(torn.value, 0, "threads that came a round too early")
  try agree(round.value, rounds, "rounds")
}

// MARK: Condition locks

private func ringOfValues(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let rounds = max(5, 400 / threads)
  let lock = NSConditionLock(condition: 0)
  let order = Unguarded<[Int]>([])
  try runThreads(threads) { thread in
    for _ in 0..<rounds {
      lock.lock(whenCondition: thread)
      order.value.append(thread)
      hesitate()
      lock.unlock(withCondition: (thread + 1) % threads)
    }
  }
  try agree(order.value.count, threads * rounds, "turns")
  let isInOrder = order.value.enumerated().allSatisfy { $0.offset % threads == $0.element }
  try agree(isInOrder, true, "the turns go round")
}

/// Producers and consumers of one product. Some have deadlines, some only look.
private func exchangeByValue(_ random: inout SeededGenerator) throws {
  let empty = 3, full = -3
  let pairs = max(1, threadCount(&random) / 2)
  let each = max(10, 800 / pairs)
  let lock = NSConditionLock(condition: empty)
  let product = Unguarded(0)
  let sum = Unguarded(0)
  let inside = Counter()
  let tooMany = Counter()
  let generators = (0..<2 * pairs).map { _ in random.split() }
  try runThreads(2 * pairs) { thread in
    var random = generators[thread]
    let (wanted, left) = thread < pairs ? (empty, full) : (full, empty)
    for number in 1...each {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: while !lock.lock(whenCondition: wanted, before: soon(&random)) {}
      case 1:
        if !lock.tryLock(whenCondition: wanted) { lock.lock(whenCondition: wanted) }
      case 2:
        // A waiter that changes nothing.
        if lock.lock(before: soon(&random)) { lock.unlock() }
        lock.lock(whenCondition: wanted)
      default: lock.lock(whenCondition: wanted)
      }
      if inside.increment() != 1 { tooMany.increment() }
      if thread < pairs {
        product.value = number
        hesitate()
      } else {
        sum.value += product.value
        product.value = 0
      }
      inside.decrement()
      lock.unlock(withCondition: left)
    }
  }
  try agree(tooMany.value, 0, "threads inside beside another")
  try agree(sum.value, pairs * each * (each + 1) / 2, "the sum of all products")
  try agree(lock.condition, empty, "the condition at the end")
}

// MARK: Recursive locks and lazy values

private func recurse(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let each = max(20, 3_000 / threads)
  let lock = NSRecursiveLock()
  let count = Unguarded(0)
  let taken = Counter()
  let generators = (0..<threads).map { _ in random.split() }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<each {
      let depth = Int.random(in: 1...5, using: &random)
      var held = 0
      for level in 0..<depth {
        let isTaken: Bool
        switch Int.random(in: 0..<3, using: &random) {
        case 0: isTaken = lock.try()
        case 1: isTaken = lock.lock(before: soon(&random))
        default:
          lock.lock()
          isTaken = true
        }
        if level > 0 && held > 0 && !isTaken { throw Broken("the holder was refused its lock") }
        if isTaken {
          held += 1
          count.increment()
          taken.increment()
        }
      }
      for _ in 0..<held { lock.unlock() }
    }
  }
  try agree(count.value, taken.value, "what the lock guards")
}

private func raceLazy(_ random: inout SeededGenerator) throws {
  let threads = threadCount(&random)
  let runs = Counter()
  let wrong = Counter()
  let lazies = (0..<100).map { number in
    Lazy<[Int]> {
      runs.increment()
      dawdle(20)
      return [number]
    }
  }
  let generators = (0..<threads).map { _ in random.split() }
  try runThreads(threads) { thread in
    var random = generators[thread]
    for (number, lazy) in lazies.enumerated() {
      dawdle(Int.random(in: 0...20, using: &random))
      if lazy.value != [number] { wrong.increment() }
    }
  }
  try agree(runs.value, 100, "values made")
  try agree(wrong.value, 0, "wrong values seen")
}
