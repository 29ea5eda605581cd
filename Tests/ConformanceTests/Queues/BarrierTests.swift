// BarrierTests — a barrier of every submission kind on every kind of queue.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

/// Each way to submit a barrier.
enum BarrierSubmission: CaseIterable {
  case asyncClosure, asyncItem, asyncGroupClosure, asyncGroupItem
  case syncClosure, syncResult, syncItem
  case afterClosure, afterItem, afterWallClosure, afterWallItem
  case groupNotify, groupNotifyItem, itemNotify, itemNotifyItem

  /// Whether the barrier is in the queue before the call returns.
  var takesItsPlaceAtOnce: Bool {
    switch self {
    case .asyncClosure, .asyncItem, .asyncGroupClosure, .asyncGroupItem,
      .groupNotify, .groupNotifyItem:
      true
    case .syncClosure, .syncResult, .syncItem: false
    case .afterClosure, .afterItem, .afterWallClosure, .afterWallItem: false
    case .itemNotify, .itemNotifyItem: true
    }
  }

  func submit(to queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let item = DispatchWorkItem(flags: .barrier, block: body)
    let past = DispatchTime.now()
    let wallPast = DispatchWallTime.now()
    switch self {
    case .asyncClosure: queue.async(flags: .barrier, execute: body)
    case .asyncItem: queue.async(execute: item)
    case .asyncGroupClosure:
      queue.async(group: DispatchGroup(), flags: .barrier, execute: body)
    case .asyncGroupItem: queue.async(group: DispatchGroup(), execute: item)
    case .syncClosure: queue.sync(flags: .barrier) { body() }
    case .syncResult:
      _ = queue.sync(flags: .barrier) { () -> Int in
        body()
        return 1
      }
    case .syncItem: queue.sync(execute: item)
    case .afterClosure: queue.asyncAfter(deadline: past, flags: .barrier, execute: body)
    case .afterItem: queue.asyncAfter(deadline: past, execute: item)
    case .afterWallClosure:
      queue.asyncAfter(wallDeadline: wallPast, flags: .barrier, execute: body)
    case .afterWallItem: queue.asyncAfter(wallDeadline: wallPast, execute: item)
    case .groupNotify: DispatchGroup().notify(flags: .barrier, queue: queue, execute: body)
    case .groupNotifyItem: DispatchGroup().notify(queue: queue, work: item)
    case .itemNotify:
      let first = DispatchWorkItem {}
      first.perform()
      first.notify(flags: .barrier, queue: queue, execute: body)
    case .itemNotifyItem:
      let first = DispatchWorkItem {}
      first.perform()
      first.notify(queue: queue, execute: item)
    }
  }
}

@Suite(.guarded)
struct BarrierTests {
  @Test func barrierRunsOnceOnEveryQueueInEveryForm() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      try withEvery("submission", in: BarrierSubmission.allCases) { submission in
        let queue = kind.makeQueue()
        let ran = EventCounter("barriers")
        submission.submit(to: queue) { ran.increment() }
        try ran.wait(for: 1)
        queue.sync(flags: .barrier) {}
        #expect(ran.value == 1)
      }
    }
  }

  @Test func barrierIsAloneOnAConcurrentQueue() throws {
    try withEvery("queue", in: QueueKind.allCases.filter(\.knowsBarriers)) { kind in
      try withEvery("submission", in: BarrierSubmission.allCases) { submission in
        let queue = kind.makeQueue()
        let inside = Occupancy()
        let company = EventCounter("barriers in company")
        let ran = EventCounter("runs")
        for round in 0..<12 {
          for _ in 0..<3 {
            queue.async {
              inside.enter()
              for _ in 0..<50 { _ = inside.inside }
              inside.leave()
              ran.increment()
            }
          }
          submission.submit(to: queue) {
            if inside.enter() != 1 { company.increment() }
            for _ in 0..<50 where inside.inside != 1 { company.increment() }
            inside.leave()
            ran.increment()
          }
          if round % 4 == 3 { queue.sync { _ = inside.inside } }
        }
        try ran.wait(for: 48)
        #expect(company.value == 0)
      }
    }
  }

  @Test func barrierRunsAfterAllBeforeItAndBeforeAllAfterIt() throws {
    let submissions = BarrierSubmission.allCases.filter(\.takesItsPlaceAtOnce)
    try withEvery("queue", in: QueueKind.allCases.filter(\.knowsBarriers)) { kind in
      try withEvery("submission", in: submissions) { submission in
        let queue = kind.makeQueue()
        let log = EventLog<String>()
        let running = EventCounter("running")
        let gate = Gate()
        for _ in 0..<2 {
          queue.async {
            running.increment()
            gate.pass()
            log.append("before")
          }
        }
        try running.wait(for: 2)
        submission.submit(to: queue) { log.append("barrier") }
        for _ in 0..<2 { queue.async { log.append("after") } }
        letRealTimePass(RealTime.settling)
        #expect(log.all.isEmpty)
        gate.open()
        try #expect(
          log.wait(forCount: 5) == ["before", "before", "barrier", "after", "after"])
      }
    }
  }

  @Test func barrierSyncWaitsForEarlierItemsAndDelaysLaterOnes() throws {
    try withEvery(
      "submission", in: [BarrierSubmission.syncClosure, .syncResult, .syncItem]
    ) { submission in
      let queue = DispatchQueue(label: "test.barrier.sync", attributes: .concurrent)
      let log = EventLog<String>()
      let running = EventCounter("running")
      let gate = Gate("before")
      let barrierGate = Gate("barrier")
      let barrierRuns = Gate("barrier runs")
      for _ in 0..<2 {
        queue.async {
          running.increment()
          gate.pass()
          log.append("before")
        }
      }
      try running.wait(for: 2)
      let writer = try PlainThread {
        submission.submit(to: queue) {
          barrierRuns.open()
          barrierGate.pass()
          log.append("barrier")
        }
      }
      letRealTimePass(RealTime.settling)
      #expect(!barrierRuns.isOpened)
      gate.open()
      try barrierRuns.wait()
      queue.async { log.append("after") }
      let reader = try PlainThread { queue.sync { log.append("after") } }
      letRealTimePass(RealTime.settling)
      #expect(log.all == ["before", "before"])
      barrierGate.open()
      try writer.join()
      try reader.join()
      try #expect(
        log.wait(forCount: 5) == ["before", "before", "barrier", "after", "after"])
    }
  }

  @Test func consecutiveBarriersKeepTheirOrder() throws {
    let queue = DispatchQueue(label: "test.barriers", attributes: .concurrent)
    let log = EventLog<Int>()
    let gate = Gate()
    queue.async { gate.pass() }
    for number in 0..<100 { queue.async(flags: .barrier) { log.append(number) } }
    gate.open()
    try #expect(log.wait(forCount: 100) == Array(0..<100))
  }

  @Test func barrierOnAGlobalQueueIsAPlainSubmission() throws {
    let submissions = BarrierSubmission.allCases
    try withEvery("submission", in: submissions) { submission in
      // The barrier meets an earlier item that has not ended.
      let queue = DispatchQueue.global()
      let barrierRan = Gate("barrier ran")
      let running = Gate("running")
      let done = EventCounter("items")
      queue.async {
        running.open()
        barrierRan.pass()
        done.increment()
      }
      try running.wait()
      submission.submit(to: queue) { barrierRan.open() }
      try done.wait(for: 1)
    }
  }

  @Test func barrierOnASerialQueueTakesItsTurn() throws {
    let submissions: [BarrierSubmission] = [
      .asyncClosure, .asyncItem, .asyncGroupClosure, .asyncGroupItem,
    ]
    try withEvery("submission", in: submissions) { submission in
      let queue = DispatchQueue(label: "test.turn")
      let log = EventLog<Int>()
      queue.suspend()
      queue.async { log.append(0) }
      submission.submit(to: queue) { log.append(1) }
      queue.async { log.append(2) }
      queue.resume()
      try #expect(log.wait(forCount: 3) == [0, 1, 2])
    }
  }

  @Test func readersAndWritersNeverSeeHalfAWrite() throws {
    let queue = DispatchQueue(label: "test.pair", attributes: .concurrent)
    let pair = Unprotected((0, 0))
    let torn = EventCounter("torn reads")
    try runThreads(4) { index in
      for step in 0..<300 {
        if step % 10 == index {
          queue.async(flags: .barrier) {
            pair.value.0 += 1
            pair.value.1 += 1
          }
        } else {
          let seen = queue.sync { pair.value }
          if seen.0 != seen.1 { torn.increment() }
        }
      }
    }
    #expect(torn.value == 0)
    #expect(queue.sync(flags: .barrier) { pair.value } == (120, 120))
  }

  @Test func readAfterAWriteOfTheSameThreadSeesTheWholeWrite() throws {
    let queue = DispatchQueue(label: "test.read.after.write", attributes: .concurrent)
    let cells = Unprotected([Int: Int]())
    try runThreads(3) { index in
      for step in 0..<200 {
        queue.async(flags: .barrier) { cells.value[index] = step }
        #expect(queue.sync { cells.value[index] } == step)
      }
    }
  }
}
