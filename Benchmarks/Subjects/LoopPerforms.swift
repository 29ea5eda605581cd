import CBenchmark

extension Subject {
  /// Two threads, each asleep in its loop but when the other has it perform something.
  static let performRoundTrip = Subject(
    name: "perform-round-trip",
    title: "`RunLoop.perform` from another thread, there and back",
    goal: .ratio(0.60, required: false),
    pinned: true,
    countedOperations: 1_000,
    measurement: .cost {
      let there = PerformingThread()
      let back = PerformingThread()
      let trip = RoundTrip(there: there.calls, back: back.calls)
      return { operations in trip.make(operations) }
    })

  static let performMany = Subject(
    name: "perform-many",
    title: "10,000 blocks performed from one thread, drained, per block",
    goal: .ratio(0.20, required: false),
    pinned: true,
    leastOperations: 10_000,
    measurement: .cost {
      let thread = PerformingThread()
      return { operations in
        let isDone = DispatchSemaphore(value: 0)
        inBatches(operations) { batch in
          for _ in 1..<batch { thread.calls.perform {} }
          thread.calls.perform { isDone.signal() }
          isDone.wait()
        }
      }
    })

  /// The main thread waits in its loop; another one has it run an item and waits for that.
  static let mainQueueRoundTrip = Subject(
    name: "main-queue-round-trip",
    title: "main-queue `async` to a waiting main loop, there and back",
    goal: .ratio(0.60, required: false),
    pinned: true,
    countedOperations: 1_000,
    measurement: .cost {
      { operations in
        let asking = JoinableThread {
          let answer = DispatchSemaphore(value: 0)
          for _ in 0..<operations {
            DispatchQueue.main.async { answer.signal() }
            answer.wait()
          }
          LoopCalls.main.perform { LoopCalls.main.stop() }
        }
        asking.start()
        LoopCalls.run()
        asking.join()
      }
    })
}

/// A thread that waits in its loop as long as the program runs.
final class PerformingThread: Sendable {
  let calls: LoopCalls

  init() {
    let made = MadeOnThread()
    let thread = Thread {
      made.calls = LoopCalls()
      made.isMade.signal()
      LoopCalls.run()
    }
    thread.start()
    made.isMade.wait()
    calls = made.calls!
  }
}

// SAFETY: written before the signal, read after it.
private final class MadeOnThread: @unchecked Sendable {
  var calls: LoopCalls?
  let isMade = DispatchSemaphore(value: 0)
}

/// A block that goes from one loop to another and back.
// SAFETY: `left` is touched by one block at a time.
final class RoundTrip: @unchecked Sendable {
  private let there: LoopCalls
  private let back: LoopCalls
  private let isOver = DispatchSemaphore(value: 0)
  private var left = 0

  init(there: LoopCalls, back: LoopCalls) {
    self.there = there
    self.back = back
  }

  func make(_ times: Int) {
    left = times
    there.perform { self.onThere() }
    isOver.wait()
  }

  private func onThere() { back.perform { self.onBack() } }

  private func onBack() {
    left -= 1
    if left == 0 { return _ = isOver.signal() }
    there.perform { self.onThere() }
  }
}
