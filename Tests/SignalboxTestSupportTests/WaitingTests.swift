import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct WaitingTests {
  @Test func openGateLetsEveryThreadPass() throws {
    let gate = Gate()
    let passed = EventCounter("threads past the gate")
    let opener = try PlainThread { gate.open() }
    try runThreads(4) { _ in
      gate.pass()
      #expect(gate.isOpened)
      passed.increment()
    }
    try gate.wait()
    try opener.join()
    #expect(passed.value == 4)
  }

  @Test func countersWaitReturnsAtTheNthEvent() throws {
    let counter = EventCounter()
    let thread = try PlainThread { for _ in 0..<100 { counter.increment() } }
    try counter.wait(for: 100)
    try thread.join()
    #expect(counter.value == 100)
    #expect(counter.decrement() == 99)
  }

  @Test func guardedChangesAreNotLost() throws {
    let total = Guarded(0)
    try runThreads(4) { _ in
      for _ in 0..<1000 { total.withValue { $0 += 1 } }
    }
    #expect(total.current == 4000)
  }

  @Test func guardedWaitEndsByItsLimit() {
    let value = Guarded(0)
    let begun = Uptime.now()
    let isMet = value.wait(limit: RealTime.delay) { $0 == 1 }
    #expect(!isMet)
    #expect(Uptime.now().since(begun) >= RealTime.delay)
  }

  @Test func guardedWaitSeesTheChangeOfAnotherThread() throws {
    let value = Guarded(0)
    let thread = try PlainThread { value.withValue { $0 = 1 } }
    #expect(value.wait(limit: RealTime.wedge) { $0 == 1 })
    try thread.join()
  }

  /// An exit test queues behind others for a thread; a pass of a stress test does not.
  @Test func timeLimitOfATestStartsAtTheEndOfTheLastOne() throws {
    let test = WedgeDetector.begin("a test", .test)
    let pass = WedgeDetector.begin("a pass", .pass)
    defer { for ticket in [test, pass] { WedgeDetector.end(ticket) } }
    let begun = Uptime.now()
    let ofPass = try #require(WedgeDetector.deadline(pass))
    #expect(ofPass <= begun + RealTime.life)
    letRealTimePass(RealTime.settling)
    let another = Uptime.now()
    WedgeDetector.end(WedgeDetector.begin("another test", .test))
    #expect(try #require(WedgeDetector.deadline(test)) >= another + RealTime.life)
    #expect(WedgeDetector.deadline(pass) == ofPass)
    WedgeDetector.end(pass)
    #expect(WedgeDetector.deadline(pass) == nil)
  }

  /// A test may start several child programs, each of which has a life of its own.
  @Test func timeLimitOfATestStartsAnewWhenAChildProgramEnds() throws {
    let test = WedgeDetector.begin("a test", .test)
    defer { WedgeDetector.end(test) }
    letRealTimePass(RealTime.settling)
    let begun = Uptime.now()
    #expect(try ChildProgram(path: "/bin/sh").run(["-c", "exit 0"]).exit == .code(0))
    #expect(try #require(WedgeDetector.deadline(test)) >= begun + RealTime.life)
  }

  @Test func logKeepsEachThreadsOrder() throws {
    let log = EventLog<Int>()
    try runThreads(3) { index in
      for step in 0..<50 { log.append(index * 1000 + step) }
    }
    let events = try log.wait(forCount: 150)
    #expect(events.count == 150)
    for index in 0..<3 {
      let own = events.filter { $0 / 1000 == index }
      #expect(own == (0..<50).map { index * 1000 + $0 })
    }
  }

  @Test func occupancyRemembersTheMaximum() throws {
    let occupancy = Occupancy()
    let meeting = Rendezvous(parties: 3)
    try runThreads(3) { _ in
      occupancy.enter()
      try meeting.meet()
      occupancy.leave()
    }
    #expect(occupancy.most == 3)
    #expect(occupancy.inside == 0)
    #expect(occupancy.entered == 3)
  }

  @Test func rendezvousHoldsEveryRoundTogether() throws {
    let meeting = Rendezvous(parties: 3)
    let arrived = EventCounter("arrivals")
    try runThreads(3) { _ in
      for round in 0..<20 {
        arrived.increment()
        let met = try meeting.meet()
        #expect(met == 2 * round)
        // All threads of this round have arrived, and none of the next.
        #expect(arrived.value == 3 * (round + 1))
        try meeting.meet()
      }
    }
    #expect(arrived.value == 60)
  }
}
