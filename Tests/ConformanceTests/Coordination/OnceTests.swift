// OnceTests — a block that runs exactly once.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct OnceTests {
  struct Refused: Error {}

  @Test func blockRunsExactlyOnce() {
    let once = DispatchOnce()
    let ran = EventCounter("runs")
    for _ in 0..<100 { once.perform { ran.increment() } }
    #expect(ran.value == 1)
  }

  @Test func onlyOneOfManyThreadsRunsItAndAllSeeItsEffect() throws {
    for _ in 0..<50 {
      let once = DispatchOnce()
      let cell = Unprotected(0)
      let ran = EventCounter("runs")
      let unseen = EventCounter("threads that saw nothing")
      try runThreads(4) { _ in
        once.perform {
          cell.value = 42
          ran.increment()
        }
        if cell.value != 42 { unseen.increment() }
      }
      #expect(ran.value == 1)
      #expect(unseen.value == 0)
    }
  }

  @Test func otherThreadsWaitUntilTheBlockHasFinished() throws {
    let once = DispatchOnce()
    let running = Gate("running")
    let gate = Gate()
    let log = EventLog<String>()
    let first = try PlainThread {
      once.perform {
        running.open()
        gate.pass()
        log.append("block ends")
      }
    }
    try running.wait()
    let second = try PlainThread {
      once.perform { log.append("block again") }
      log.append("second returns")
    }
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    gate.open()
    try first.join()
    try second.join()
    #expect(log.all == ["block ends", "second returns"])
  }

  @Test func differentOncesAreIndependent() {
    let ran = EventCounter("runs")
    let outer = DispatchOnce()
    let inner = DispatchOnce()
    outer.perform { inner.perform { ran.increment() } }
    inner.perform { ran.increment() }
    #expect(ran.value == 1)
  }

  @Test func errorReachesTheCaller() {
    let once = DispatchOnce()
    #expect(throws: Refused.self) { try once.perform { throw Refused() } }
  }

  @Test func staticLetRunsOnceToo() throws {
    enum Shared {
      static let ran = EventCounter("initialisations")
      static let value: Int = {
        ran.increment()
        return 7
      }()
    }
    let wrong = EventCounter("wrong values")
    try runThreads(4) { _ in
      if Shared.value != 7 { wrong.increment() }
    }
    #expect(Shared.ran.value == 1)
    #expect(wrong.value == 0)
  }

  @Test func capturesOfTheBlockAreNotKept() throws {
    let tracker = LeakTracker()
    let once = DispatchOnce()
    func use() {
      let object = tracker.makeObject()
      once.perform { object.touch() }
    }
    use()
    use()
    #expect(tracker.alive == 0)
    #expect(tracker.made == 2)
    once.perform {}
  }

  @Test func onceThatCallsItselfIsReported() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let once = DispatchOnce()
      once.perform { once.perform {} }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("BUG IN CLIENT OF SIGNALBOX"))
  }
}
