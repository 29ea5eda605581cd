// SerialQueueTests — a serial queue, and `async` on it.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SerialQueueTests {
  @Test func queueWithoutAttributesIsSerial() throws {
    let queue = DispatchQueue(label: "test.plain")
    let occupancy = Occupancy()
    let done = EventCounter("items")
    for _ in 0..<200 {
      queue.async {
        occupancy.enter()
        occupancy.leave()
        done.increment()
      }
    }
    try done.wait(for: 200)
    #expect(occupancy.most == 1)
    #expect(occupancy.entered == 200)
  }

  @Test func itemsStartInTheOrderSubmitted() throws {
    let queue = DispatchQueue(label: "test.order")
    let log = EventLog<Int>()
    for number in 0..<2000 { queue.async { log.append(number) } }
    try #expect(log.wait(forCount: 2000) == Array(0..<2000))
  }

  @Test func eachSubmittersOrderIsKeptAndItemsNeverOverlap() throws {
    let queue = DispatchQueue(label: "test.producers")
    let occupancy = Occupancy()
    let log = EventLog<Int>()
    try runThreads(4) { producer in
      for step in 0..<250 {
        queue.async {
          occupancy.enter()
          log.append(producer * 1000 + step)
          occupancy.leave()
        }
      }
    }
    let events = try log.wait(forCount: 1000)
    for producer in 0..<4 {
      #expect(events.filter { $0 / 1000 == producer } == (0..<250).map { producer * 1000 + $0 })
    }
    #expect(occupancy.most == 1)
  }

  @Test func itemSeesWhatTheOneBeforeItWrote() throws {
    let queue = DispatchQueue(label: "test.visible")
    let total = Unprotected(0)
    let done = EventCounter("items")
    try runThreads(2) { _ in
      for _ in 0..<500 {
        queue.async {
          total.value += 1
          done.increment()
        }
      }
    }
    try done.wait(for: 1000)
    #expect(queue.sync { total.value } == 1000)
  }

  @Test func asyncReturnsBeforeTheWorkRuns() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let gate = Gate()
      let done = EventCounter("items")
      queue.async {
        gate.pass()
        done.increment()
      }
      // If `async` waited for the work, this line would never be reached.
      #expect(done.value == 0)
      gate.open()
      try done.wait(for: 1)
    }
  }

  @Test func asyncOntoTheOwnQueueStartsAfterTheItemHasEnded() throws {
    let queue = DispatchQueue(label: "test.nested")
    let log = EventLog<String>()
    queue.async {
      log.append("outer begins")
      queue.async { log.append("inner") }
      log.append("outer ends")
    }
    try #expect(log.wait(forCount: 3) == ["outer begins", "outer ends", "inner"])
  }

  @Test func asyncOntoTheOwnQueueRunsAfterPendingItems() throws {
    let queue = DispatchQueue(label: "test.behind")
    let log = EventLog<Int>()
    let gate = Gate()
    queue.async {
      gate.pass()
      queue.async { log.append(2) }
    }
    queue.async { log.append(1) }
    gate.open()
    try #expect(log.wait(forCount: 2) == [1, 2])
  }

  @Test func differentSerialQueuesRunConcurrently() throws {
    let first = Gate("first")
    let second = Gate("second")
    let done = EventCounter("items")
    DispatchQueue(label: "test.one").async {
      first.open()
      second.pass()
      done.increment()
    }
    DispatchQueue(label: "test.two").async {
      second.open()
      first.pass()
      done.increment()
    }
    try done.wait(for: 2)
  }

  @Test func itemRunsOffTheSubmittingThread() throws {
    let number = EventLog<Int>()
    DispatchQueue(label: "test.thread").async { number.append(kernelThreadNumber()) }
    try #expect(number.wait(forCount: 1) != [kernelThreadNumber()])
  }

  @Test func labelReadsBack() {
    for label in ["", "com.example.photos", "Überwachung 日本", String(repeating: "x", count: 500)] {
      #expect(DispatchQueue(label: label).label == label)
    }
  }

  @Test func qualityOfServiceReadsBack() {
    for qos: DispatchQoS in [.background, .utility, .default, .userInitiated, .unspecified] {
      let queue = DispatchQueue(label: "test.qos", qos: qos)
      #expect(queue.qos == qos)
    }
    let relative = DispatchQoS(qosClass: .utility, relativePriority: -5)
    #expect(DispatchQueue(label: "test.relative", qos: relative).qos == relative)
  }

  @Test func relativePriorityOutsideTheRangeIsKept() throws {
    try withEvery("priority", in: [1, 100, -16, Int.min, Int.max]) { priority in
      for qosClass in DispatchQoS.QoSClass.allCases {
        let qos = DispatchQoS(qosClass: qosClass, relativePriority: priority)
        #expect(qos.qosClass == qosClass && qos.relativePriority == priority)
        let queue = DispatchQueue(label: "test.outside", qos: qos)
        #expect(queue.qos == qos)
        let log = EventLog<qos_class_t>()
        queue.async(qos: qos) { log.append(qos_class_self()) }
        queue.async(
          execute: DispatchWorkItem(qos: qos, flags: .enforceQoS) { log.append(qos_class_self()) })
        let seen = try log.wait(forCount: 2)
        // Without a class, the items have the class of the code that submits them.
        if qosClass != .unspecified { #expect(seen == [qosClass.rawValue, qosClass.rawValue]) }
      }
    }
  }

  @Test func everyAutoreleaseFrequencyIsAccepted() throws {
    let frequencies: [DispatchQueue.AutoreleaseFrequency] = [.inherit, .workItem, .never]
    try withEvery("frequency", in: frequencies) { frequency in
      let queue = DispatchQueue(
        label: "test.autorelease", attributes: .concurrent, autoreleaseFrequency: frequency)
      #expect(queue.sync { 7 } == 7)
    }
  }

  @Test func everyOperationMayBeCalledFromAnyNumberOfThreads() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let ran = EventCounter("runs")
      let group = DispatchGroup()
      try runThreads(4) { index in
        for step in 0..<60 {
          switch (index + step) % 6 {
          case 0: queue.async { ran.increment() }
          case 1: queue.sync { _ = ran.increment() }
          case 2: queue.async(flags: .barrier) { ran.increment() }
          case 3: queue.sync(flags: .barrier) { _ = ran.increment() }
          case 4: queue.async(group: group) { ran.increment() }
          default:
            queue.asyncAfter(deadline: .now()) { ran.increment() }
          }
          if kind.canBeSuspended && step % 10 == 0 {
            queue.suspend()
            queue.resume()
          }
        }
      }
      try ran.wait(for: 240)
      group.wait()
      #expect(ran.value == 240)
    }
  }
}
