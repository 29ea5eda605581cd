// LazyTests — a body that runs once, a value that is made once, and the `static let` that does
// the same.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct LazyTests {
  struct Refused: Error {}

  /// Three ways to make something once.
  enum Form: CaseIterable { case once, lazy, staticLet }

  /// What the static form makes. Each round of a race would need a type of its own, so this one
  /// is raced only once.
  enum Shared {
    static let ran = EventCounter("initialisations")
    static let value: [Int] = {
      ran.increment()
      return [1, 2, 3]
    }()
  }

  @Test(arguments: Form.allCases)
  func manyThreadsMakeItOnceAndAllSeeIt(_ form: Form) throws {
    let wrong = EventCounter("wrong values")
    for _ in 0..<(form == .staticLet ? 1 : 100) {
      let ran = form == .staticLet ? Shared.ran : EventCounter("runs")
      let once = Once()
      let cell = Unprotected<[Int]>([])
      let lazy = Lazy<[Int]> {
        ran.increment()
        return [1, 2, 3]
      }
      try runThreads(4) { _ in
        let seen: [Int]
        switch form {
        case .once:
          once.perform {
            ran.increment()
            cell.value = [1, 2, 3]
          }
          seen = cell.value
        case .lazy: seen = lazy.value
        case .staticLet: seen = Shared.value
        }
        if seen != [1, 2, 3] { wrong.increment() }
      }
      #expect(ran.value == 1)
    }
    #expect(wrong.value == 0)
  }

  @Test func otherThreadsWaitUntilTheBodyHasEnded() throws {
    let once = Once()
    let running = Gate("running")
    let gate = Gate()
    let log = EventLog<String>()
    let first = try PlainThread {
      once.perform {
        running.open()
        gate.pass()
        log.append("body ends")
      }
    }
    try running.wait()
    #expect(!once.isDone)
    let second = try PlainThread {
      once.perform { log.append("body again") }
      log.append("second returns")
    }
    try WaitWatch.waitUntilAsleep(for: .once, on: "a Once")
    #expect(log.all.isEmpty)
    gate.open()
    try first.join()
    try second.join()
    #expect(once.isDone)
    #expect(log.all == ["body ends", "second returns"])
  }

  @Test func aBodyThatThrowsCountsAsNotRun() throws {
    let once = Once()
    #expect(throws: Refused.self) { try once.perform { throw Refused() } }
    #expect(!once.isDone)
    var ran = 0
    once.perform { ran += 1 }
    once.perform { ran += 1 }
    #expect(ran == 1)
    #expect(once.isDone)
  }

  @Test func aValueIsMadeOnFirstUse() {
    let ran = EventCounter("runs")
    let lazy = Lazy { ran.increment() }
    #expect(!lazy.isMade)
    #expect(ran.value == 0)
    #expect(lazy.value == 1)
    #expect(lazy.value == 1)
    #expect(lazy.isMade)
  }

  /// The closure that makes the value is freed once the value exists, and the value is freed
  /// with its `Lazy`.
  @Test func nothingOutlivesItsUse() {
    let tracker = LeakTracker()
    do {
      let asked = makeLazy(tracker, tracker.makeObject())
      let unasked = makeLazy(tracker, tracker.makeObject())
      #expect(tracker.alive == 2)
      asked.value.touch()
      // The value has replaced the closure that made it.
      #expect(tracker.made == 3)
      #expect(tracker.alive == 2)
      #expect(!unasked.isMade)
    }
    #expect(tracker.alive == 0)
  }

  private func makeLazy(_ tracker: LeakTracker, _ object: TrackedObject) -> Lazy<TrackedObject> {
    Lazy {
      object.touch()
      return tracker.makeObject()
    }
  }
}
