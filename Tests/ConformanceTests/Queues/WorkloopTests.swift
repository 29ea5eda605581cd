// WorkloopTests — workloops.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct WorkloopTests {
  private static let urgencies: [DispatchQoS] = [
    .background, .userInitiated, .utility, .userInteractive, .default,
  ]

  /// Makes a workloop that is occupied until the gate opens.
  private func held(
    _ gate: Gate, label: String = "test.workloop"
  ) throws -> DispatchWorkloop {
    let loop = DispatchWorkloop(label: label)
    let isHeld = Gate("held")
    loop.async(qos: .userInteractive) {
      isHeld.open()
      gate.pass()
    }
    try isHeld.wait()
    return loop
  }

  private func expectedOrder(each: Int) -> [String] {
    let classes: [DispatchQoS] = [
      .userInteractive, .userInitiated, .default, .utility, .background,
    ]
    return classes.flatMap { qos in (0..<each).map { "\(qos.qosClass) \($0)" } }
  }

  @Test func theMoreUrgentItemRunsFirstAndEachClassInOrder() throws {
    let gate = Gate()
    let loop = try held(gate)
    let log = EventLog<String>()
    for number in 0..<5 {
      for qos in WorkloopTests.urgencies {
        loop.async(qos: qos) { log.append("\(qos.qosClass) \(number)") }
      }
    }
    gate.open()
    #expect(try log.wait(forCount: 25) == expectedOrder(each: 5))
  }

  @Test func queuesThatTargetItAreTakenByTheirClassAndKeepTheirOrder() throws {
    let gate = Gate()
    let loop = try held(gate)
    let log = EventLog<String>()
    let queues = WorkloopTests.urgencies.map { qos in
      DispatchQueue(label: "test.\(qos.qosClass)", qos: qos, target: loop)
    }
    for queue in queues {
      for number in 0..<5 { queue.async { log.append("\(queue.qos.qosClass) \(number)") } }
    }
    gate.open()
    #expect(try log.wait(forCount: 25) == expectedOrder(each: 5))
    #expect(queues[0].sync { loop.isCurrent })
  }

  @Test func aLateUrgentItemOvertakes() throws {
    let gate = Gate()
    let loop = try held(gate)
    let log = EventLog<String>()
    loop.async(qos: .utility) {
      log.append("first")
      loop.async(qos: .background) { log.append("last") }
      loop.async(qos: .userInteractive) { log.append("second") }
    }
    loop.async(qos: .utility) { log.append("third") }
    gate.open()
    #expect(try log.wait(forCount: 4) == ["first", "second", "third", "last"])
  }

  @Test func itemsNeverRunConcurrently() throws {
    let loop = DispatchWorkloop(label: "test.workloop")
    let inside = Unprotected(0)
    let ran = EventCounter("items")
    try runThreads(4) { thread in
      for number in 0..<250 {
        switch number % 5 {
        case 0: loop.sync { inside.value += 1 }
        case 1: loop.asyncAndWait { inside.value += 1 }
        case 2: loop.sync(flags: .barrier) { inside.value += 1 }
        default:
          let qos = WorkloopTests.urgencies[(number + thread) % 5]
          loop.async(qos: qos) {
            inside.value += 1
            ran.increment()
          }
        }
      }
    }
    try ran.wait(for: 4 * 100)
    #expect(loop.sync { inside.value } == 1_000)
  }

  @Test func syncWaitsForMoreUrgentAndOlderItems() throws {
    let gate = Gate()
    let loop = try held(gate)
    let log = EventLog<String>()
    loop.async(qos: .background) { log.append("background") }
    loop.async(qos: .default) { log.append("default") }
    loop.async(qos: .userInteractive) { log.append("interactive") }
    let thread = try PlainThread {
      loop.sync { log.append("sync") }
    }
    gate.open()
    try thread.join()
    let all = try log.wait(forCount: 4)
    #expect(all.filter { $0 != "sync" } == ["interactive", "default", "background"])
    // It is undefined when the thread joins the queue. By its turn, all earlier work of at
    // least the default class has run.
    #expect(all.firstIndex(of: "sync")! >= 2)
  }

  @Test func syncFromAnUrgentItemOvertakesLessUrgentItems() throws {
    let gate = Gate()
    let loop = try held(gate, label: "test.workloop.urgent")
    let log = EventLog<String>()
    for qos in [DispatchQoS.background, .default, .userInteractive] {
      loop.async(qos: qos) { log.append("\(qos.qosClass)") }
    }
    DispatchQueue.global(qos: .userInitiated).async { loop.sync { log.append("sync") } }
    let waits = "waits in sync, for the queue \"\(loop.label)\""
    let limit = Uptime.now() + RealTime.life
    while !BlockedReport.text().contains(waits) && Uptime.now() < limit {}
    gate.open()
    #expect(
      try log.wait(forCount: 4) == ["userInteractive", "sync", "default", "background"])
  }

  @Test func suspensionAndAfterAndGroupsWorkAsOnAnyQueue() throws {
    let loop = DispatchWorkloop(label: "test.workloop")
    let ran = EventCounter("items")
    loop.suspend()
    for qos in WorkloopTests.urgencies { loop.async(qos: qos) { ran.increment() } }
    loop.resume()
    try ran.wait(for: 5)
    let group = DispatchGroup()
    for _ in 0..<10 { loop.async(group: group) { ran.increment() } }
    group.wait()
    #expect(ran.value == 15)
    loop.asyncAfter(deadline: .now()) { ran.increment() }
    group.notify(queue: loop) { ran.increment() }
    try ran.wait(for: 17)
  }

  @Test func aSuspendedWorkloopKeepsItsSortedItems() throws {
    let loop = DispatchWorkloop(label: "test.workloop")
    let log = EventLog<Int>()
    // This thread sorts the items as it leaves the workloop. A worker might choose one of them,
    // and find the workloop resumed before it looks whether it is suspended.
    loop.sync {
      for number in 1...3 { loop.async(qos: .utility) { log.append(number) } }
      loop.suspend()
      log.append(0)
    }
    loop.async(qos: .default) { log.append(-1) }
    #expect(log.all == [0])
    loop.resume()
    #expect(try log.wait(forCount: 5) == [0, -1, 1, 2, 3])
  }

  @Test func everythingIsFreed() throws {
    let tracker = LeakTracker()
    do {
      let loop = DispatchWorkloop(label: "test.workloop")
      for number in 0..<50 {
        let object = tracker.makeObject()
        loop.async(qos: WorkloopTests.urgencies[number % 5]) { object.touch() }
      }
    }
    try tracker.waitUntilAllAreFreed()
  }

  @Test func autoreleaseFrequencyIsTakenWhileItIsInactive() {
    let loop = DispatchWorkloop(label: "test.workloop", attributes: .initiallyInactive)
    loop.setAutoreleaseFrequency(.never)
    loop.activate()
    #expect(loop.sync { 1 } == 1)
  }
}

extension DispatchQueue {
  /// Whether this code runs on the queue, or on a queue that targets it.
  var isCurrent: Bool { _dispatchPreconditionTest(.onQueue(self)) }
}
