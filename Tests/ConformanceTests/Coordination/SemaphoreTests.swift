// SemaphoreTests — semaphores.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SemaphoreTests {
  @Test func countIsTakenWithoutWaiting() throws {
    try withEvery("value", in: 0...5) { value in
      let semaphore = DispatchSemaphore(value: value)
      for _ in 0..<value { semaphore.wait() }
      #expect(semaphore.wait(timeout: .now()) == .timedOut)
      for _ in 0..<value { semaphore.signal() }
    }
  }

  @Test func signalReleasesExactlyOneWaiter() throws {
    let semaphore = DispatchSemaphore(value: 0)
    let released = EventCounter("waiters")
    let threads = try (0..<5).map { _ in
      try PlainThread {
        semaphore.wait()
        released.increment()
      }
    }
    for count in 1...5 {
      semaphore.signal()
      try released.wait(for: count)
      letRealTimePass(RealTime.settling)
      #expect(released.value == count)
    }
    for thread in threads { try thread.join() }
    #expect(semaphore.wait(timeout: .now()) == .timedOut)
  }

  @Test func signalReturnsWhetherItWokeAThread() throws {
    let semaphore = DispatchSemaphore(value: 0)
    #expect(semaphore.signal() == 0)
    semaphore.wait()
    let tally = WaitTally(of: semaphore)
    let thread = try PlainThread { semaphore.wait() }
    // A thread that falls asleep already counts as waiting.
    let end = Uptime.now() + RealTime.wedge
    while tally.count(.semaphore) == 0 {
      guard Uptime.now() < end else { throw Wedge.found("a thread that waits for a semaphore") }
      letRealTimePass(.milliseconds(1))
    }
    tally.end()
    #expect(semaphore.signal() != 0)
    try thread.join()
  }

  @Test func timedWaitEndsInTimeAndNotBefore() {
    let semaphore = DispatchSemaphore(value: 0)
    let begun = Uptime.now()
    #expect(semaphore.wait(timeout: deadline(after: RealTime.delay)) == .timedOut)
    #expect(Uptime.now().since(begun) >= RealTime.delay)
    let begunAgain = Uptime.now()
    #expect(semaphore.wait(wallTimeout: wallDeadline(after: RealTime.delay)) == .timedOut)
    #expect(Uptime.now().since(begunAgain) >= RealTime.delay * 0.99)
    #expect(semaphore.wait(timeout: .now() - .seconds(3)) == .timedOut)
    #expect(semaphore.wait(wallTimeout: .now() - .seconds(3)) == .timedOut)
    #expect(semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .timedOut)
    // No wait that timed out has consumed a signal.
    semaphore.signal()
    #expect(semaphore.wait(timeout: .now()) == .success)
    #expect(semaphore.wait(timeout: .now()) == .timedOut)
  }

  @Test func everyWaitSucceedsOnASignal() throws {
    let semaphore = DispatchSemaphore(value: 0)
    let results = EventLog<DispatchTimeoutResult>()
    let threads = [
      try PlainThread { results.append(semaphore.wait(timeout: .distantFuture)) },
      try PlainThread { results.append(semaphore.wait(wallTimeout: .distantFuture)) },
      try PlainThread { results.append(semaphore.wait(timeout: deadline(after: RealTime.life))) },
      try PlainThread {
        results.append(semaphore.wait(wallTimeout: wallDeadline(after: RealTime.life)))
      },
    ]
    letRealTimePass(RealTime.settling)
    #expect(results.count == 0)
    for _ in 0..<4 { semaphore.signal() }
    for thread in threads { try thread.join() }
    #expect(results.all == Array(repeating: .success, count: 4))
  }

  @Test func timeoutsRacingSignalsLoseNone() throws {
    // Every signal is consumed by exactly one wait, or stays in the count.
    let semaphore = DispatchSemaphore(value: 0)
    let taken = EventCounter("taken")
    try runThreads(4) { index in
      if index == 0 {
        for _ in 0..<600 { semaphore.signal() }
      } else {
        for step in 0..<300 {
          let limit = DispatchTime.now() + .microseconds(step % 40)
          if semaphore.wait(timeout: limit) == .success { taken.increment() }
        }
      }
    }
    var left = 0
    while semaphore.wait(timeout: .now()) == .success { left += 1 }
    #expect(taken.value + left == 600)
  }

  @Test func semaphoreLimitsHowManyAreInside() throws {
    let semaphore = DispatchSemaphore(value: 3)
    let occupancy = Occupancy()
    try runThreads(8) { _ in
      for _ in 0..<50 {
        semaphore.wait()
        occupancy.enter()
        occupancy.leave()
        semaphore.signal()
      }
    }
    #expect(occupancy.most <= 3)
    #expect(occupancy.entered == 400)
    for _ in 0..<3 { #expect(semaphore.wait(timeout: .now()) == .success) }
    #expect(semaphore.wait(timeout: .now()) == .timedOut)
    for _ in 0..<3 { semaphore.signal() }
  }

  @Test func waitSeesWhatTheSignallerWrote() throws {
    let cell = Unprotected(0)
    let full = DispatchSemaphore(value: 0)
    let empty = DispatchSemaphore(value: 1)
    let producer = try PlainThread {
      for number in 1...1000 {
        empty.wait()
        cell.value = number
        full.signal()
      }
    }
    var wrong = 0
    for number in 1...1000 {
      full.wait()
      if cell.value != number { wrong += 1 }
      empty.signal()
    }
    try producer.join()
    #expect(wrong == 0)
  }

  @Test func itemsOnQueuesSignalAndWait() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let semaphore = DispatchSemaphore(value: 0)
      let result = Unprotected(0)
      queue.async {
        result.value = 42
        semaphore.signal()
      }
      semaphore.wait()
      #expect(result.value == 42)
    }
  }

  @Test func signalMayBeCalledBeforeAnyoneWaitsManyTimes() {
    let semaphore = DispatchSemaphore(value: 0)
    for _ in 0..<10_000 { semaphore.signal() }
    for _ in 0..<10_000 { semaphore.wait() }
    #expect(semaphore.wait(timeout: .now()) == .timedOut)
  }
}
