// AsyncAndWaitTests — D32: `asyncAndWait` in all its forms.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct AsyncAndWaitTests {
  struct Refused: Error, Equatable { let code: Int }

  @Test func itReturnsAfterTheWorkAndPassesItsValueAndItsErrorBack() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      #expect(queue.asyncAndWait { "value" } == "value")
      #expect(throws: Refused(code: 1)) { try queue.asyncAndWait { throw Refused(code: 1) } }
      try withEvery("flags", in: everyFlags) { flags in
        #expect(queue.asyncAndWait(flags: flags) { flags.rawValue } == flags.rawValue)
        #expect(throws: Refused(code: 2)) {
          try queue.asyncAndWait(flags: flags) { () throws -> Int in throw Refused(code: 2) }
        }
        let ran = EventCounter("runs")
        let item = DispatchWorkItem(flags: flags) { ran.increment() }
        queue.asyncAndWait(execute: item)
        #expect(ran.value == 1)
        #expect(item.wait(timeout: .now()) == .success)
      }
      let cancelled = DispatchWorkItem { Issue.record("a cancelled item ran") }
      cancelled.cancel()
      queue.asyncAndWait(execute: cancelled)
    }
  }

  @Test func onAFreeQueueItRunsOnTheCallingThread() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      #expect(queue.asyncAndWait { kernelThreadNumber() } == kernelThreadNumber())
    }
  }

  @Test func onABusyQueueItRunsAfterThePendingItems() throws {
    try withEvery("queue", in: [QueueKind.serial, .serialOnSerial]) { kind in
      let queue = kind.makeQueue()
      let gate = Gate()
      let log = EventLog<String>()
      let isBusy = Gate("busy")
      queue.async {
        isBusy.open()
        gate.pass()
        log.append("item")
      }
      try isBusy.wait()
      let caller = try PlainThread { queue.asyncAndWait { log.append("asyncAndWait") } }
      gate.open()
      try caller.join()
      #expect(log.all == ["item", "asyncAndWait"])
    }
  }

  @Test func itRunsAloneOrConcurrentlyAccordingToItsFlags() throws {
    let queue = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    let value = Unprotected(0)
    let torn = EventCounter("reads beside a write")
    try runThreads(4) { thread in
      for round in 0..<200 {
        if (round + thread) % 4 == 0 {
          queue.asyncAndWait(flags: .barrier) { value.value += 1 }
        } else if queue.asyncAndWait(execute: { value.value }) < 0 {
          torn.increment()
        }
      }
    }
    #expect(torn.value == 0)
    #expect(queue.sync(flags: .barrier) { value.value } == 200)
  }

  @Test func itAdoptsTheQueuesQualityOfService() throws {
    let queue = DispatchQueue(label: "test.utility", qos: .utility)
    let seen = queue.asyncAndWait { qos_class_self() }
    #expect(seen == DispatchQoS.QoSClass.utility.rawValue)
  }

  @Test func throughTargetsItIsOnEveryQueue() {
    let root = DispatchQueue(label: "test.root")
    let leaf = DispatchQueue(label: "test.leaf", attributes: .concurrent, target: root)
    leaf.asyncAndWait {
      #expect(DispatchQueue.current === leaf)
      dispatchPrecondition(condition: .onQueueAsBarrier(root))
    }
  }

  @Test func suspendedQueuesRunItWhenTheyAreResumed() throws {
    let queue = DispatchQueue(label: "test.suspended")
    queue.suspend()
    let ran = EventCounter("runs")
    let caller = try PlainThread { queue.asyncAndWait { ran.increment() } }
    #expect(ran.value == 0)
    queue.resume()
    try caller.join()
    #expect(ran.value == 1)
  }
}
