// SuspensionTests — suspension, and initially inactive queues.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SuspensionTests {
  static let kinds = QueueKind.allCases.filter(\.canBeSuspended)

  @Test func suspendedQueueRunsNothingUntilItIsResumed() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let queue = kind.makeQueue()
      let ran = EventCounter("items")
      queue.suspend()
      queue.async { ran.increment() }
      queue.async(flags: .barrier) { ran.increment() }
      queue.asyncAfter(deadline: .now()) { ran.increment() }
      letRealTimePass(RealTime.settling)
      #expect(ran.value == 0)
      queue.resume()
      try ran.wait(for: 3)
      #expect(ran.value == 3)
    }
  }

  @Test func suspensionsAreCounted() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let queue = kind.makeQueue()
      let ran = EventCounter("items")
      for _ in 0..<100 { queue.suspend() }
      queue.async { ran.increment() }
      for _ in 0..<99 { queue.resume() }
      letRealTimePass(RealTime.settling)
      #expect(ran.value == 0)
      queue.resume()
      try ran.wait(for: 1)
    }
  }

  @Test func suspendTakesEffectBetweenItemsAndNeverStopsARunningOne() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let queue = kind.makeQueue()
      let log = EventLog<Int>()
      let running = Gate("running")
      let gate = Gate()
      queue.async {
        running.open()
        gate.pass()
        log.append(1)
      }
      try running.wait()
      queue.suspend()
      queue.async { log.append(2) }
      gate.open()
      try log.wait(forCount: 1)
      letRealTimePass(RealTime.settling)
      #expect(log.all == [1])
      queue.resume()
      try #expect(log.wait(forCount: 2) == [1, 2])
    }
  }

  @Test func itemMaySuspendItsOwnQueue() throws {
    let queue = DispatchQueue(label: "test.self")
    let log = EventLog<Int>()
    queue.async {
      queue.suspend()
      log.append(1)
    }
    queue.async { log.append(2) }
    try log.wait(forCount: 1)
    letRealTimePass(RealTime.settling)
    #expect(log.all == [1])
    queue.resume()
    try #expect(log.wait(forCount: 2) == [1, 2])
  }

  @Test func orderIsKeptAcrossSuspensions() throws {
    let queue = DispatchQueue(label: "test.suspended.order")
    let log = EventLog<Int>()
    let toggler = try PlainThread {
      for _ in 0..<300 {
        queue.suspend()
        queue.resume()
      }
    }
    for number in 0..<1000 { queue.async { log.append(number) } }
    try toggler.join()
    try #expect(log.wait(forCount: 1000) == Array(0..<1000))
  }

  @Test func syncOntoASuspendedQueueWaits() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      try withEvery("as a barrier", in: [false, true]) { isBarrier in
        let queue = kind.makeQueue()
        let ran = EventCounter("syncs")
        queue.suspend()
        let caller = try PlainThread {
          queue.sync(flags: isBarrier ? .barrier : []) { _ = ran.increment() }
        }
        letRealTimePass(RealTime.settling)
        #expect(ran.value == 0)
        queue.resume()
        try caller.join()
        #expect(ran.value == 1)
      }
    }
  }

  @Test func suspendedTargetHoldsTheQueuesAboveIt() throws {
    let under = DispatchQueue(label: "test.under")
    let over = DispatchQueue(label: "test.over", target: under)
    let ran = EventCounter("items")
    under.suspend()
    over.async { ran.increment() }
    letRealTimePass(RealTime.settling)
    #expect(ran.value == 0)
    under.resume()
    try ran.wait(for: 1)
  }

  @Test func barrierAndItemsWaitTogetherForResume() throws {
    let queue = DispatchQueue(label: "test.suspended.barrier", attributes: .concurrent)
    let log = EventLog<String>()
    queue.suspend()
    queue.async { log.append("item") }
    queue.async(flags: .barrier) { log.append("barrier") }
    queue.async { log.append("item") }
    queue.resume()
    try #expect(log.wait(forCount: 3) == ["item", "barrier", "item"])
  }

  @Test func suspendDuringConcurrentItemsHoldsTheRest() throws {
    let queue = DispatchQueue(label: "test.middle", attributes: .concurrent)
    let started = EventCounter("started")
    let gate = Gate()
    for _ in 0..<2 {
      queue.async {
        started.increment()
        gate.pass()
      }
    }
    try started.wait(for: 2)
    queue.suspend()
    for _ in 0..<4 { queue.async { started.increment() } }
    gate.open()
    letRealTimePass(RealTime.settling)
    #expect(started.value == 2)
    queue.resume()
    try started.wait(for: 6)
  }

  @Test func inactiveQueueRunsNothingUntilActivated() throws {
    let attributes: [DispatchQueue.Attributes] = [
      .initiallyInactive, [.initiallyInactive, .concurrent],
    ]
    try withEvery("attributes", in: attributes) { attributes in
      let queue = DispatchQueue(label: "test.inactive", attributes: attributes)
      let ran = EventCounter("items")
      queue.async { ran.increment() }
      letRealTimePass(RealTime.settling)
      #expect(ran.value == 0)
      queue.activate()
      try ran.wait(for: 1)
      // Activating again does nothing.
      queue.activate()
      queue.suspend()
      queue.async { ran.increment() }
      queue.activate()
      letRealTimePass(RealTime.settling)
      #expect(ran.value == 1)
      queue.resume()
      try ran.wait(for: 2)
    }
  }

  @Test func targetOfAnInactiveQueueMayBeSet() throws {
    let under = DispatchQueue(label: "test.target")
    let over = DispatchQueue(label: "test.late", attributes: .initiallyInactive)
    over.setTarget(queue: under)
    over.activate()
    let done = EventCounter("items")
    over.async {
      dispatchPrecondition(condition: .onQueue(under))
      done.increment()
    }
    over.sync { dispatchPrecondition(condition: .onQueue(under)) }
    #expect(done.value == 1)
  }

  @Test func serialTargetMakesItsQueuesTakeTurns() throws {
    let under = DispatchQueue(label: "test.turns")
    let queues = [
      DispatchQueue(label: "test.turns.1", target: under),
      DispatchQueue(label: "test.turns.2", attributes: .concurrent, target: under),
      under,
    ]
    let total = Unprotected(0)
    let occupancy = Occupancy()
    let done = EventCounter("items")
    try runThreads(3) { index in
      for step in 0..<200 {
        let work: @Sendable () -> Void = {
          occupancy.enter()
          total.value += 1
          occupancy.leave()
          done.increment()
        }
        if step % 5 == 0 {
          queues[index].sync { work() }
        } else {
          queues[index].async(execute: work)
        }
      }
    }
    try done.wait(for: 600)
    #expect(occupancy.most == 1)
    #expect(under.sync { total.value } == 600)
  }
}
