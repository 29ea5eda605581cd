// ConcurrentQueueTests — concurrent queues and the global queues.

import CountedFacts
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ConcurrentQueueTests {
  static let kinds: [QueueKind] = [.concurrent, .concurrentOnConcurrent, .global]

  @Test func itemsRunConcurrentlyAndFinishInAnyOrder() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let queue = kind.makeQueue()
      let log = EventLog<Int>()
      let secondHasEnded = Gate("second has ended")
      queue.async {
        secondHasEnded.pass()
        log.append(1)
      }
      queue.async {
        log.append(2)
        secondHasEnded.open()
      }
      try #expect(log.wait(forCount: 2) == [2, 1])
    }
  }

  @Test func everyItemRunsExactlyOnce() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let queue = kind.makeQueue()
      let log = EventLog<Int>()
      try runThreads(3) { producer in
        for step in 0..<300 { queue.async { log.append(producer * 300 + step) } }
      }
      try #expect(log.wait(forCount: 900).sorted() == Array(0..<900))
    }
  }

  @Test func itemsSubmittedBeforeAreVisibleToABarrier() throws {
    let queue = DispatchQueue(label: "test.sum", attributes: .concurrent)
    let cells = (0..<64).map { _ in Unprotected(0) }
    for (index, cell) in cells.enumerated() { queue.async { cell.value = index } }
    let sum = queue.sync(flags: .barrier) { cells.reduce(0) { $0 + $1.value } }
    #expect(sum == 64 * 63 / 2)
  }

  @Test func itemsStartInTheOrderSubmitted() throws {
    // With one processor and one worker, the order of starts is visible.
    let outcome = try ChildProgram.run(
      StartOrderScenario.concurrentStartOrder, environment: ["SIGNALBOX_WORKERS": "1"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["concurrent"] == "in order")
    #expect(outcome.facts["global"] == "in order")
    #expect(outcome.facts["onConcurrent"] == "in order")
  }

  @Test func syncOntoTheOwnConcurrentQueueRuns() throws {
    try withEvery("queue", in: Self.kinds) { kind in
      let queue = kind.makeQueue()
      let results = EventLog<Int>()
      queue.async { results.append(queue.sync { queue.sync { 3 } }) }
      try #expect(results.wait(forCount: 1) == [3])
    }
  }

  @Test func syncDoesNotOvertakeABarrierSubmittedBefore() throws {
    let queue = DispatchQueue(label: "test.overtake", attributes: .concurrent)
    let log = EventLog<String>()
    let running = Gate("first item runs")
    let gate = Gate("first item ends")
    queue.async {
      running.open()
      gate.pass()
      log.append("item")
    }
    try running.wait()
    queue.async(flags: .barrier) { log.append("barrier") }
    let reader = try PlainThread { queue.sync { log.append("sync") } }
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    gate.open()
    try reader.join()
    #expect(log.all == ["item", "barrier", "sync"])
  }

  @Test func syncOnASuspendedQueueWaitsForPendingItems() throws {
    let queue = DispatchQueue(label: "test.pending", attributes: .concurrent)
    let log = EventLog<String>()
    queue.suspend()
    queue.async(flags: .barrier) { log.append("barrier") }
    let reader = try PlainThread { queue.sync { log.append("sync") } }
    letRealTimePass(RealTime.settling)
    #expect(log.all.isEmpty)
    queue.resume()
    try reader.join()
    #expect(log.all == ["barrier", "sync"])
  }

  @Test func syncReadsRunConcurrently() throws {
    let queue = DispatchQueue(label: "test.readers", attributes: .concurrent)
    let occupancy = Occupancy()
    let meeting = Rendezvous(parties: 4)
    try runThreads(4) { _ in
      try queue.sync {
        occupancy.enter()
        try meeting.meet()
        occupancy.leave()
      }
    }
    #expect(occupancy.most == 4)
  }

  @Test func syncOnAGlobalQueueRunsAtOnceOnTheCaller() throws {
    // Every worker is busy and items wait; the caller needs no worker.
    let gate = Gate()
    let started = EventCounter("started")
    let ended = EventCounter("ended")
    for _ in 0..<16 {
      DispatchQueue.global().async {
        started.increment()
        gate.pass()
        ended.increment()
      }
    }
    try started.wait(for: 1)
    let number = DispatchQueue.global().sync { kernelThreadNumber() }
    #expect(number == kernelThreadNumber())
    #expect(ended.value == 0)
    gate.open()
    try ended.wait(for: 16)
  }

  @Test func globalQueueLabelsAreApples() {
    let labels: [(DispatchQoS.QoSClass, String)] = [
      (.background, "com.apple.root.background-qos"),
      (.utility, "com.apple.root.utility-qos"),
      (.default, "com.apple.root.default-qos"),
      (.userInitiated, "com.apple.root.user-initiated-qos"),
      (.unspecified, "com.apple.root.default-qos"),
    ]
    for (qos, label) in labels { #expect(DispatchQueue.global(qos: qos).label == label) }
    #expect(DispatchQueue.global().label == "com.apple.root.default-qos")
    #expect(DispatchQueue.main.label == "com.apple.main-thread")
  }

  @Test func oldPrioritiesNameTheSameQueues() {
    let pairs: [(DispatchQueue.GlobalQueuePriority, DispatchQoS.QoSClass)] = [
      (.high, .userInitiated), (.default, .default), (.low, .utility), (.background, .background),
    ]
    for (priority, qos) in pairs {
      let old = DispatchQueue.global(priority: priority)
      #expect(old.label == DispatchQueue.global(qos: qos).label)
      #expect(old.qos == DispatchQueue.global(qos: qos).qos)
    }
  }

  @Test func everyGlobalQueueRunsItems() throws {
    try withEvery("qos", in: everyQoS) { qos in
      let queue = DispatchQueue.global(qos: qos.qosClass)
      let done = EventCounter("items")
      queue.async { done.increment() }
      queue.async(flags: .barrier) { done.increment() }
      #expect(queue.sync { 1 } == 1)
      #expect(queue.sync(flags: .barrier) { 2 } == 2)
      try done.wait(for: 2)
    }
  }

  @Test func suspendAndResumeOfAGlobalQueueHaveNoEffect() throws {
    // The documentation of `dispatch_suspend` says that global queues cannot be suspended.
    let queue = DispatchQueue.global()
    let done = EventCounter("items")
    queue.suspend()
    queue.async { done.increment() }
    try done.wait(for: 1)
    queue.resume()
    queue.activate()
  }
}
