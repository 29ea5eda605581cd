// SourceHandlerTests — a source's handlers: which one runs, where, in what order, one at a
// time.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SourceHandlerTests {
  @Test func registrationHandlerRunsOnceAndBeforeTheFirstEvent() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      trial.source.setRegistrationHandler { log.append("registered") }
      trial.onEvent { log.append("event") }
      trial.fire()
      trial.source.resume()
      try #expect(log.wait(forCount: 2) == ["registered", "event"])
      trial.source.suspend()
      trial.source.resume()
      trial.fire()
      try #expect(log.wait(forCount: 3) == ["registered", "event", "event"])
    }
  }

  @Test func handlersRunOnTheSourcesQueue() throws {
    let kinds = QueueKind.allCases.filter { $0 != .global }
    try withEvery("queue", in: kinds) { kind in
      let queue = kind.makeQueue()
      try withEverySource(on: { queue }) { trial in
        let seen = EventCounter("handlers")
        trial.source.setRegistrationHandler {
          dispatchPrecondition(condition: .onQueue(queue))
          seen.increment()
        }
        trial.onEvent {
          dispatchPrecondition(condition: .onQueue(queue))
          seen.increment()
        }
        trial.source.setCancelHandler {
          dispatchPrecondition(condition: .onQueue(queue))
          seen.increment()
        }
        trial.source.resume()
        try seen.wait(for: 1)
        trial.fire()
        try seen.wait(for: 2)
        trial.source.cancel()
        try seen.wait(for: 3)
      }
    }
  }

  @Test func queueOfAnInactiveSourceMayBeSet() throws {
    let other = DispatchQueue(label: "test.other")
    try withEverySource { trial in
      let seen = EventCounter("handlers")
      (trial.source as? DispatchSource)?.setTarget(queue: other)
      trial.onEvent {
        dispatchPrecondition(condition: .onQueue(other))
        seen.increment()
      }
      trial.source.activate()
      trial.fire()
      try seen.wait(for: 1)
    }
  }

  /// This holds for any number of events and any width of the queue.
  @Test func handlersOfOneSourceNeverRunConcurrently() throws {
    let makeQueue = { DispatchQueue(label: "test.concurrent", attributes: .concurrent) }
    try withEverySource(on: makeQueue) { trial in
      let occupancy = Occupancy()
      let total = Unprotected(0)
      let handled = EventCounter("events")
      let ended = Gate("cancelled")
      trial.source.setRegistrationHandler {
        occupancy.enter()
        total.value += 1
        occupancy.leave()
      }
      trial.onEvent {
        occupancy.enter()
        total.value += 1
        occupancy.leave()
        handled.increment()
      }
      trial.source.setCancelHandler {
        occupancy.enter()
        total.value += 1
        occupancy.leave()
        ended.open()
      }
      trial.source.resume()
      let shared = trial
      try runThreads(3) { _ in
        for _ in 0..<200 { shared.fire() }
      }
      trial.fire()
      try handled.wait(for: 1)
      trial.source.cancel()
      try ended.wait()
      #expect(occupancy.most == 1)
      #expect(total.value == handled.value + 2)
    }
  }

  /// Two sources and the queue's own items take turns.
  @Test func handlersAndItemsOfASerialQueueTakeTurns() throws {
    let queue = DispatchQueue(label: "test.turns")
    try withEverySource(on: { queue }) { trial in
      let other = DispatchSource.makeUserDataAddSource(
        queue: DispatchQueue(label: "test.above", target: queue))
      let occupancy = Occupancy()
      let total = Unprotected(0)
      let ran = EventCounter("handlers and items")
      let work: @Sendable () -> Void = {
        occupancy.enter()
        total.value += 1
        occupancy.leave()
        ran.increment()
      }
      trial.onEvent(work)
      other.setEventHandler(handler: work)
      trial.source.resume()
      other.resume()
      let shared = Shared((trial, other))
      try runThreads(3) { thread in
        for _ in 0..<100 {
          switch thread {
          case 0: shared.value.0.fire()
          case 1: shared.value.1.add(data: 1)
          default: queue.async(execute: work)
          }
        }
      }
      try ran.wait(for: 102)
      #expect(occupancy.most == 1)
      try end(other)
      try end(trial.source)
      #expect(queue.sync { total.value } == ran.value)
    }
  }

  // MARK: Replacing

  @Test func handlerMayBeReplacedAndTheNewOneGetsTheNextEvent() throws {
    try withEverySource { trial in
      let tracker = LeakTracker()
      let log = EventLog<Int>()
      func handle(as number: Int) {
        let object = tracker.makeObject()
        trial.onEvent {
          object.touch()
          log.append(number)
        }
      }
      handle(as: 1)
      trial.source.resume()
      for number in 1...5 {
        trial.fire()
        try #expect(log.wait(forCount: number).last == number)
        handle(as: number + 1)
      }
      trial.source.setEventHandler(handler: nil)
      try tracker.waitUntilAllAreFreed()
      #expect(tracker.made == 6)
    }
  }

  @Test func handlerMayReplaceItselfAndRunsToItsEnd() throws {
    try withEverySource { trial in
      let tracker = LeakTracker()
      let log = EventLog<String>()
      let object = tracker.makeObject()
      trial.onEvent { [object] in
        trial.onEvent { log.append("second") }
        object.touch()
        log.append("first")
      }
      trial.source.resume()
      trial.fire()
      try log.wait(forCount: 1)
      trial.fire()
      try #expect(log.wait(forCount: 2) == ["first", "second"])
    }
  }

  @Test func handlerReplacedByAnotherThreadWhileItRunsEndsItsRun() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      let running = Gate("running")
      let gate = Gate()
      trial.onEvent {
        running.open()
        gate.pass()
        log.append("first")
      }
      trial.source.resume()
      trial.fire()
      try running.wait()
      trial.onEvent { log.append("second") }
      gate.open()
      try log.wait(forCount: 1)
      trial.fire()
      try #expect(log.wait(forCount: 2).prefix(2) == ["first", "second"])
    }
  }

  @Test func cancelHandlerMayBeReplacedAndRemoved() throws {
    try withEvery("taken away", in: [false, true]) { isTakenAway in
      let queue = DispatchQueue(label: "test.replaced")
      try withEverySource(on: { queue }) { trial in
        let log = EventLog<String>()
        trial.source.setEventHandler {}
        trial.source.setCancelHandler { log.append("first") }
        trial.source.resume()
        if isTakenAway {
          trial.source.setCancelHandler(handler: nil)
        } else {
          trial.source.setCancelHandler { log.append("second") }
        }
        trial.source.cancel()
        if !isTakenAway { try log.wait(forCount: 1) }
        letRealTimePass(RealTime.settling)
        #expect(log.all == (isTakenAway ? [] : ["second"]))
      }
    }
  }

  @Test func sourceWithoutAHandlerDoesNotLoseItsCancelHandler() throws {
    try withEverySource { trial in
      let cancellations = EventCounter("cancellations")
      trial.onEvent {}
      trial.source.setEventHandler(handler: nil)
      trial.source.setCancelHandler { cancellations.increment() }
      trial.source.resume()
      trial.fire()
      trial.source.cancel()
      try cancellations.wait(for: 1)
    }
  }

  /// Data that is ready to be read goes to the first handler.
  @Test func bytesThatArrivedBeforeTheHandlerAreReportedToIt() throws {
    let trial = try SourceTrial(.read, on: DispatchQueue(label: "test.late"))
    let events = EventCounter("events")
    trial.source.resume()
    trial.fire()
    letRealTimePass(RealTime.settling)
    trial.onEvent { events.increment() }
    try events.wait(for: 1)
    try end(trial.source)
  }

  // MARK: Forms

  @Test func workItemsServeAsHandlers() throws {
    try withEverySource { trial in
      let log = EventLog<String>()
      trial.source.setRegistrationHandler(handler: DispatchWorkItem { log.append("registered") })
      trial.source.setEventHandler(
        handler: DispatchWorkItem {
          trial.take()
          log.append("event")
        })
      trial.source.setCancelHandler(handler: DispatchWorkItem { log.append("cancelled") })
      trial.source.resume()
      trial.fire()
      try log.wait(forCount: 2)
      trial.fire()
      try log.wait(forCount: 3)
      trial.source.cancel()
      try #expect(log.wait(forCount: 4) == ["registered", "event", "event", "cancelled"])
    }
  }

  @Test func handlersMayHaveAQualityOfService() throws {
    try withEvery("flags", in: [[], .enforceQoS, [.inheritQoS, .assignCurrentContext]]) {
      (flags: DispatchWorkItemFlags) in
      try withEvery("class", in: [DispatchQoS.unspecified, .utility, .userInitiated]) { qos in
        try withEverySource { trial in
          let log = EventLog<String>()
          trial.source.setRegistrationHandler(qos: qos, flags: flags) { log.append("registered") }
          trial.source.setEventHandler(qos: qos, flags: flags) {
            trial.take()
            log.append("event")
          }
          trial.source.setCancelHandler(qos: qos, flags: flags) { log.append("cancelled") }
          trial.source.resume()
          trial.fire()
          try log.wait(forCount: 2)
          trial.source.cancel()
          try #expect(log.wait(forCount: 3) == ["registered", "event", "cancelled"])
        }
      }
    }
  }

  @Test func handleMaskAndDataDescribeTheSource() throws {
    try withEverySource { trial in
      #expect(trial.source.handle == UInt(trial.descriptor ?? 0))
      #expect(trial.source.mask == 0)
      let data = EventLog<UInt>()
      trial.source.setEventHandler {
        data.append(trial.source.data)
        trial.take()
      }
      trial.source.resume()
      trial.fire()
      try #expect(data.wait(forCount: 1) == [1])
    }
  }

  // MARK: Captures

  /// The release of the last reference frees the source, which reports nothing more.
  @Test func releasedSourceStopsSilently() throws {
    try withEvery("source", in: SourceKind.allCases) { kind in
      let tracker = LeakTracker()
      let sources = WeakWatch()
      let log = EventLog<String>()
      let queue = DispatchQueue(label: "test.dropped")
      func useOnce() throws {
        let trial = try SourceTrial(kind, on: queue)
        sources.watch(trial.source as AnyObject)
        let objects = (0..<3).map { _ in tracker.makeObject() }
        trial.source.setRegistrationHandler { objects[0].touch() }
        trial.onEvent {
          objects[1].touch()
          log.append("event")
        }
        trial.source.setCancelHandler {
          objects[2].touch()
          log.append("cancelled")
        }
        trial.source.resume()
        trial.fire()
        try log.wait(forCount: 1)
      }
      try useOnce()
      try sources.waitUntilAllAreFreed()
      try tracker.waitUntilAllAreFreed()
      letRealTimePass(RealTime.settling)
      queue.sync {}
      #expect(log.all == ["event"])
    }
  }

  @Test func cancelBreaksTheCycleOfASourceWhoseHandlersHoldIt() throws {
    try withEvery("source", in: SourceKind.allCases) { kind in
      let sources = WeakWatch()
      let log = EventLog<String>()
      func useOnce() throws {
        let trial = try SourceTrial(kind, on: DispatchQueue(label: "test.cycle"))
        sources.watch(trial.source as AnyObject)
        trial.source.setRegistrationHandler { _ = trial.source.handle }
        trial.onEvent {
          _ = trial.source.data
          log.append("event")
        }
        trial.source.setCancelHandler {
          _ = trial.source.handle
          log.append("cancelled")
        }
        trial.source.resume()
        trial.fire()
        try log.wait(forCount: 1)
        trial.source.cancel()
      }
      try useOnce()
      try #expect(log.wait(forCount: 2) == ["event", "cancelled"])
      try sources.waitUntilAllAreFreed()
    }
  }

  @Test func sourceKeepsItsQueueWhileItRuns() throws {
    try withEvery("source", in: SourceKind.allCases) { kind in
      let queues = WeakWatch()
      let trial = try SourceTrial(kind, on: queues.watch(DispatchQueue(label: "test.kept")))
      let events = EventCounter("events")
      trial.onEvent { events.increment() }
      trial.source.resume()
      trial.fire()
      try events.wait(for: 1)
      #expect(queues.alive == 1)
      try end(trial.source)
    }
  }
}
