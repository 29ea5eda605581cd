// SyncTests — `sync` in all its forms.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct SyncTests {
  struct Refused: Error, Equatable { let code: Int }

  @Test func syncReturnsTheValueAfterTheWork() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let ran = Unprotected(0)
      queue.sync { ran.value += 1 }
      #expect(ran.value == 1)
      let text: String = queue.sync { "value" }
      #expect(text == "value")
      let nothing: Int? = queue.sync { nil }
      #expect(nothing == nil)
      #expect(queue.sync { [1, 2, 3] } == [1, 2, 3])
      try withEvery("flags", in: everyFlags) { flags in
        #expect(queue.sync(flags: flags) { "\(flags.rawValue)" } == "\(flags.rawValue)")
      }
      let tuple = queue.sync { (1, "two") }
      #expect(tuple.0 == 1 && tuple.1 == "two")
    }
  }

  @Test func syncRethrowsErrorsAndTheQueueContinues() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      #expect(throws: Refused(code: 1)) { try queue.sync { throw Refused(code: 1) } }
      try withEvery("flags", in: everyFlags) { flags in
        #expect(throws: Refused(code: 2)) {
          try queue.sync(flags: flags) { () throws -> Int in throw Refused(code: 2) }
        }
      }
      #expect(queue.sync { 3 } == 3)
      let done = EventCounter("items")
      queue.async(flags: .barrier) { done.increment() }
      try done.wait(for: 1)
    }
  }

  @Test func syncRunsAWorkItemOfEachFlag() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      try withEvery("flags", in: everyFlags) { flags in
        let queue = kind.makeQueue()
        let ran = Unprotected(0)
        let item = DispatchWorkItem(flags: flags) { ran.value += 1 }
        queue.sync(execute: item)
        #expect(ran.value == 1)
        #expect(item.wait(timeout: .now()) == .success)
      }
    }
  }

  @Test func syncOfACancelledItemReturnsWithoutRunningIt() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let ran = Unprotected(0)
      let item = DispatchWorkItem { ran.value += 1 }
      item.cancel()
      kind.makeQueue().sync(execute: item)
      #expect(ran.value == 0)
    }
  }

  @Test func syncRunsOnTheCallingThread() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      #expect(queue.sync { kernelThreadNumber() } == kernelThreadNumber())
      let other = try onPlainThread {
        (queue.sync(flags: .barrier) { kernelThreadNumber() }, kernelThreadNumber())
      }
      #expect(other.0 == other.1)
    }
  }

  @Test func contendedSyncStillRunsOnItsOwnThread() throws {
    try withEvery("queue", in: [QueueKind.serial, .concurrent, .serialOnSerial]) { kind in
      let queue = kind.makeQueue()
      let strays = EventCounter("runs on another thread")
      try runThreads(4) { _ in
        let own = kernelThreadNumber()
        for _ in 0..<100 {
          queue.sync(flags: .barrier) {
            if kernelThreadNumber() != own { strays.increment() }
          }
        }
      }
      #expect(strays.value == 0)
    }
  }

  @Test func syncWaitsForWhatWasSubmittedBefore() throws {
    try withEvery("queue", in: [QueueKind.serial, .serialOnSerial]) { kind in
      let queue = kind.makeQueue()
      let log = EventLog<Int>()
      for number in 0..<50 { queue.async { log.append(number) } }
      queue.sync { log.append(50) }
      #expect(log.all == Array(0...50))
    }
  }

  @Test func syncOnASerialQueueIsAloneAndLosesNoUpdate() throws {
    let queue = DispatchQueue(label: "test.counter")
    let total = Unprotected(0)
    try runThreads(4) { index in
      for step in 0..<500 {
        if (index + step) % 3 == 0 {
          queue.async { total.value += 1 }
        } else {
          queue.sync { total.value += 1 }
        }
      }
    }
    #expect(queue.sync { total.value } == 2000)
  }

  @Test func syncFromOneQueueOntoAnotherNests() throws {
    let queues = (0..<5).map { DispatchQueue(label: "test.chain.\($0)") }
    @Sendable func descend(_ depth: Int) -> Int {
      depth == queues.count ? depth : queues[depth].sync { descend(depth + 1) }
    }
    #expect(descend(0) == 5)
    let results = EventLog<Int>()
    DispatchQueue.global().async { results.append(descend(0)) }
    try #expect(results.wait(forCount: 1) == [5])
  }

  @Test func waitingSyncsOfOneQueueRunInOrderOfArrival() throws {
    let queue = DispatchQueue(label: "test.turns.of.syncs")
    let log = EventLog<Int>()
    queue.suspend()
    var threads: [PlainThread] = []
    for number in 0..<3 {
      threads.append(try PlainThread { queue.sync { log.append(number) } })
      // A thread that sleeps for the queue has its place in the queue.
      try WaitWatch.waitUntilAsleep(number + 1, for: .sync, on: queue.label)
    }
    queue.resume()
    for thread in threads { try thread.join() }
    #expect(log.all == [0, 1, 2])
  }

  @Test func syncSeesTheItemsWritesAndTheItemSeesTheCallers() throws {
    let queue = DispatchQueue(label: "test.both")
    let cell = Unprotected(0)
    for round in 0..<300 {
      cell.value = round
      queue.async { cell.value += 1 }
      #expect(queue.sync { cell.value } == round + 1)
    }
  }

  @Test func capturesOfASyncAreReleased() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let tracker = LeakTracker()
      for _ in 0..<10 {
        let object = tracker.makeObject()
        queue.sync { object.touch() }
        queue.sync(flags: .barrier) { object.touch() }
        let result = queue.sync { tracker.makeObject() }
        result.touch()
      }
      try tracker.waitUntilAllAreFreed()
      #expect(tracker.made == 20)
    }
  }
}
