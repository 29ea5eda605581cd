// SourceLifeTests — what all sources have in common: activation, suspension, cancellation.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SourceLifeTests {
  // MARK: Activation

  enum Start: CaseIterable { case activate, resume }

  @Test func inactiveSourceReportsNothingUntilItIsActivated() throws {
    try withEvery("start", in: Start.allCases) { start in
      try withEverySource { trial in
        let events = EventCounter("events")
        trial.onEvent { events.increment() }
        trial.fire()
        letRealTimePass(RealTime.settling)
        #expect(events.value == 0)
        switch start {
        case .activate: trial.source.activate()
        case .resume: trial.source.resume()
        }
        try events.wait(for: 1)
        letRealTimePass(RealTime.settling)
        #expect(events.value == 1)
      }
    }
  }

  @Test func activatingAgainChangesNothing() throws {
    try withEverySource { trial in
      let events = EventCounter("events")
      trial.onEvent { events.increment() }
      trial.source.activate()
      trial.source.activate()
      trial.source.suspend()
      trial.source.activate()
      trial.fire()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      trial.source.resume()
      try events.wait(for: 1)
    }
  }

  @Test func everyEventIsReported() throws {
    try withEverySource { trial in
      let events = EventCounter("events")
      trial.onEvent { events.increment() }
      trial.source.resume()
      for number in 1...20 {
        trial.fire()
        try events.wait(for: number)
      }
      letRealTimePass(RealTime.settling)
      #expect(events.value == 20)
    }
  }

  @Test func sourceWithoutAQueueRunsItsHandlers() throws {
    try withEverySource(on: { nil }) { trial in
      let events = EventLog<String>()
      trial.source.setRegistrationHandler { events.append("registered") }
      trial.onEvent { events.append("event") }
      trial.source.activate()
      try events.wait(forCount: 1)
      trial.fire()
      try #expect(events.wait(forCount: 2) == ["registered", "event"])
    }
  }

  // MARK: Suspension

  @Test func suspensionsAreCounted() throws {
    try withEverySource { trial in
      let events = EventCounter("events")
      trial.onEvent { events.increment() }
      trial.source.resume()
      for _ in 0..<10 { trial.source.suspend() }
      trial.fire()
      for _ in 0..<9 { trial.source.resume() }
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      trial.source.resume()
      try events.wait(for: 1)
    }
  }

  @Test func sourceSuspendedBeforeItsStartWaitsForBoth() throws {
    try withEverySource { trial in
      let events = EventCounter("events")
      trial.onEvent { events.increment() }
      trial.source.suspend()
      trial.fire()
      trial.source.activate()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      trial.source.resume()
      try events.wait(for: 1)
    }
  }

  @Test func handlerMaySuspendItsSource() throws {
    try withEverySource { trial in
      let events = EventCounter("events")
      trial.onEvent {
        trial.source.suspend()
        events.increment()
      }
      trial.source.resume()
      trial.fire()
      try events.wait(for: 1)
      trial.fire()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 1)
      trial.source.resume()
      try events.wait(for: 2)
      trial.source.resume()
    }
  }

  @Test func suspensionDoesNotStopARunningHandler() throws {
    try withEverySource { trial in
      let running = Gate("running")
      let gate = Gate()
      let ends = EventCounter("ends")
      trial.onEvent {
        running.open()
        gate.pass()
        ends.increment()
      }
      trial.source.resume()
      trial.fire()
      try running.wait()
      trial.source.suspend()
      gate.open()
      try ends.wait(for: 1)
      trial.source.resume()
    }
  }

  @Test func suspendedQueueHoldsItsSources() throws {
    let queue = DispatchQueue(label: "test.held")
    try withEverySource(on: { queue }) { trial in
      let events = EventCounter("events")
      trial.onEvent { events.increment() }
      trial.source.resume()
      queue.suspend()
      trial.fire()
      letRealTimePass(RealTime.settling)
      #expect(events.value == 0)
      queue.resume()
      try events.wait(for: 1)
    }
  }

  // MARK: Cancellation

  @Test func cancelIsSeenAtOnceAndItsHandlerRunsOnce() throws {
    try withEverySource { trial in
      let cancellations = EventCounter("cancellations")
      trial.source.setEventHandler {}
      trial.source.setCancelHandler { cancellations.increment() }
      trial.source.resume()
      #expect(!trial.source.isCancelled)
      trial.source.cancel()
      #expect(trial.source.isCancelled)
      trial.source.cancel()
      try cancellations.wait(for: 1)
      trial.source.cancel()
      trial.fire()
      letRealTimePass(RealTime.settling)
      #expect(cancellations.value == 1)
      #expect(trial.source.isCancelled)
    }
  }

  @Test func nothingIsReportedAfterACancelOnTheSourcesOwnQueue() throws {
    let queue = DispatchQueue(label: "test.cancelled")
    try withEverySource(on: { queue }) { trial in
      let log = EventLog<String>()
      trial.onEvent { log.append("event") }
      trial.source.setCancelHandler { log.append("cancelled") }
      trial.source.resume()
      trial.fire()
      try log.wait(forCount: 1)
      queue.sync {
        trial.fire()
        trial.source.cancel()
      }
      try #expect(log.wait(forCount: 2) == ["event", "cancelled"])
      letRealTimePass(RealTime.settling)
      #expect(log.count == 2)
    }
  }

  @Test func handlerMayCancelItsSourceAndEndsBeforeTheCancelHandler() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      trial.onEvent {
        log.append("event")
        trial.source.cancel()
        trial.fire()
        letRealTimePass(RealTime.settling)
        log.append("end")
      }
      trial.source.setCancelHandler { log.append("cancelled") }
      trial.source.resume()
      trial.fire()
      try #expect(log.wait(forCount: 3) == ["event", "end", "cancelled"])
      letRealTimePass(RealTime.settling)
      #expect(log.count == 3)
    }
  }

  @Test func cancelHandlerRunsAfterTheRunningHandlerOnAConcurrentQueueToo() throws {
    let makeQueue = { DispatchQueue(label: "test.concurrent", attributes: .concurrent) }
    try withEverySource(on: makeQueue) { trial in
      let log = EventLog<String>()
      let running = Gate("running")
      let gate = Gate()
      trial.onEvent {
        running.open()
        gate.pass()
        log.append("event")
      }
      trial.source.setCancelHandler { log.append("cancelled") }
      trial.source.resume()
      trial.fire()
      try running.wait()
      trial.source.cancel()
      letRealTimePass(RealTime.settling)
      #expect(log.count == 0)
      gate.open()
      try #expect(log.wait(forCount: 2) == ["event", "cancelled"])
    }
  }

  @Test func cancelHandlerOfAnInactiveSourceWaitsForItsStart() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      trial.source.setRegistrationHandler { log.append("registered") }
      trial.onEvent { log.append("event") }
      trial.source.setCancelHandler { log.append("cancelled") }
      trial.fire()
      trial.source.cancel()
      #expect(trial.source.isCancelled)
      letRealTimePass(RealTime.settling)
      #expect(log.count == 0)
      trial.source.activate()
      try #expect(log.wait(forCount: 1) == ["cancelled"])
      letRealTimePass(RealTime.settling)
      #expect(log.count == 1)
    }
  }

  @Test func cancelHandlerOfASuspendedSourceWaitsForTheResume() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      trial.onEvent { log.append("event") }
      trial.source.setCancelHandler { log.append("cancelled") }
      trial.source.resume()
      trial.source.suspend()
      trial.fire()
      trial.source.cancel()
      letRealTimePass(RealTime.settling)
      #expect(log.count == 0)
      trial.source.resume()
      try #expect(log.wait(forCount: 1) == ["cancelled"])
      letRealTimePass(RealTime.settling)
      #expect(log.count == 1)
    }
  }

  @Test func manyThreadsMayCancelOneSource() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      trial.onEvent { log.append("event") }
      trial.source.setCancelHandler { log.append("cancelled") }
      trial.source.resume()
      let shared = trial
      try runThreads(4) { _ in
        shared.fire()
        shared.source.cancel()
        #expect(shared.source.isCancelled)
      }
      while try log.wait(forCount: 1).last != "cancelled" { letRealTimePass(.milliseconds(1)) }
      letRealTimePass(RealTime.settling)
      #expect(log.all.count { $0 == "cancelled" } == 1)
      #expect(log.all.last == "cancelled")
    }
  }

  @Test func sourceWithoutHandlersMayBeStartedAndCancelled() throws {
    try withEverySource { trial in
      trial.source.resume()
      trial.fire()
      letRealTimePass(RealTime.settling)
      trial.source.cancel()
      #expect(trial.source.isCancelled)
    }
  }
}
