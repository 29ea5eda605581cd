import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ThreadTests {
  struct Refusal: Error, Equatable { let index: Int }

  @Test func everyThreadRunsOnceOnItsOwn() throws {
    let numbers = EventLog<Int>()
    let indices = EventLog<Int>()
    let meeting = Rendezvous(parties: 5)
    try runThreads(5) { index in
      indices.append(index)
      numbers.append(kernelThreadNumber())
      try meeting.meet()
    }
    #expect(indices.all.sorted() == [0, 1, 2, 3, 4])
    #expect(Set(numbers.all).count == 5)
    #expect(!numbers.all.contains(kernelThreadNumber()))
  }

  @Test func failureOnAThreadReachesTheTest() {
    #expect(throws: Refusal(index: 2)) {
      try runThreads(4) { index in
        if index == 2 { throw Refusal(index: index) }
      }
    }
  }

  @Test func everyFailureIsReported() throws {
    let failures = #expect(throws: ThreadFailures.self) {
      try runThreads(3) { throw Refusal(index: $0) }
    }
    #expect(failures?.causes.count == 3)
  }

  @Test func resultOfAThreadIsReturned() throws {
    let tracker = LeakTracker()
    let number = try onPlainThread {
      tracker.makeObject().touch()
      return kernelThreadNumber()
    }
    #expect(number != kernelThreadNumber())
    #expect(tracker.made == 1)
    try tracker.waitUntilAllAreFreed()
  }

  @Test func censusListsARunningThread() throws {
    let gate = Gate()
    let number = Guarded(0)
    let thread = try PlainThread {
      number.withValue { $0 = kernelThreadNumber() }
      gate.pass()
    }
    #expect(number.wait(limit: RealTime.wedge) { $0 != 0 })
    let report = Wedge.report("a reason")
    #expect(report.contains("WEDGED: a reason"))
    #expect(report.contains("thread \(number.current) "))
    #expect(report.contains("censusListsARunningThread"))
    gate.open()
    try thread.join()
  }
}
