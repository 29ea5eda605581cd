// SemaphoreStressTests — no token is lost or created.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

let semaphoreSubjects = [
  Subject("never more holders than tokens, and all tokens are there again", conserve),
  Subject("each signal ends one wait, whichever waits give up", countSignals),
  Subject("what goes through a bounded buffer arrives once", boundedBuffer),
]

@Suite struct SemaphoreStressTests {
  @Test(arguments: semaphoreSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

private func shortWait(
  _ semaphore: DispatchSemaphore, _ random: inout SeededGenerator
) -> DispatchTimeoutResult {
  let limit = DispatchTimeInterval.microseconds(Int.random(in: 0...60, using: &random))
  return Bool.random(using: &random)
    ? semaphore.wait(timeout: .now() + limit) : semaphore.wait(wallTimeout: .now() + limit)
}

/// Takes the remaining tokens without waiting, and returns their number.
private func drain(_ semaphore: DispatchSemaphore) -> Int {
  var count = 0
  while semaphore.wait(timeout: .now()) == .success { count += 1 }
  return count
}

private func conserve(_ random: inout SeededGenerator) throws {
  let tokens = Int.random(in: 1...3, using: &random)
  let threads = Int.random(in: 2...6, using: &random)
  let generators = (0..<threads).map { _ in random.split() }
  let semaphore = DispatchSemaphore(value: tokens)
  let holders = Counter()
  let tooMany = Counter()
  let taken = Counter()
  let timedOut = Counter()
  let attempts = 600
  let guarded = Unguarded(0)
  try runThreads(threads) { thread in
    var random = generators[thread]
    for _ in 0..<attempts {
      if Bool.random(using: &random) {
        semaphore.wait()
      } else if shortWait(semaphore, &random) == .timedOut {
        timedOut.increment()
        continue
      }
      if holders.increment() > tokens { tooMany.increment() }
      if tokens == 1 { guarded.increment() }
      dawdle(Int.random(in: 0...30, using: &random))
      holders.decrement()
      taken.increment()
      semaphore.signal()
    }
  }
  try agree(taken.value + timedOut.value, threads * attempts, "attempts")
  try agree(tooMany.value, 0, "holders beyond the number of tokens")
  if tokens == 1 { try agree(guarded.value, taken.value, "what the only token guards") }
  try agree(drain(semaphore), tokens, "tokens at the end")
  // A semaphore may be freed only at its starting value or above.
  for _ in 0..<tokens { semaphore.signal() }
}

private func countSignals(_ random: inout SeededGenerator) throws {
  let semaphore = DispatchSemaphore(value: 0)
  let signallers = Int.random(in: 1...3, using: &random)
  let waiters = Int.random(in: 1...3, using: &random)
  let signals = Int.random(in: 500...2000, using: &random)
  let generators = (0..<waiters).map { _ in random.split() }
  let succeeded = Counter()
  let finished = Counter()
  try runThreads(signallers + waiters) { thread in
    if thread < signallers {
      for _ in 0..<signals { semaphore.signal() }
      finished.increment()
    } else {
      var random = generators[thread - signallers]
      // Continues until no more signals can arrive.
      while true {
        let mayStillCome = finished.value < signallers
        if shortWait(semaphore, &random) == .success {
          succeeded.increment()
        } else if !mayStillCome {
          break
        }
      }
    }
  }
  try agree(succeeded.value + drain(semaphore), signallers * signals, "signals taken")
}

private func boundedBuffer(_ random: inout SeededGenerator) throws {
  let capacity = Int.random(in: 1...5, using: &random)
  let space = DispatchSemaphore(value: capacity)
  let content = DispatchSemaphore(value: 0)
  let lock = DispatchSemaphore(value: 1)
  let buffer = Unguarded<[Int]>([])
  let tooFull = Counter()
  let producers = Int.random(in: 1...3, using: &random)
  // With a capacity of one each item costs two changes of threads. Passes are short and many.
  let items = Int.random(in: 50...250, using: &random)
  let sum = Counter()
  let consumed = Counter()
  let group = DispatchGroup()
  for _ in 0..<producers {
    DispatchQueue(label: "org.signalbox.stress.consumer").async(group: group) {
      for _ in 0..<items {
        content.wait()
        lock.wait()
        let number = buffer.value.removeFirst()
        lock.signal()
        space.signal()
        consumed.increment()
        if number >= 0 { sum.increment() }
      }
    }
  }
  try runThreads(producers) { producer in
    for number in 0..<items {
      space.wait()
      lock.wait()
      buffer.value.append(producer * items + number)
      if buffer.value.count > capacity { tooFull.increment() }
      lock.signal()
      content.signal()
    }
  }
  group.wait()
  try agree(consumed.value, producers * items, "items consumed")
  try agree(tooFull.value, 0, "items beyond the capacity")
  try agree(buffer.value.count, 0, "items left")
}
