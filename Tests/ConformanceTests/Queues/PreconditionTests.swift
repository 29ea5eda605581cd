// PreconditionTests — preconditions about the current queue.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct PreconditionTests {
  @Test func onQueueHoldsWithinItsItems() throws {
    // Runs on a thread that belongs to no queue.
    try onPlainThread {
      try withEvery("queue", in: QueueKind.allCases) { kind in
        let queue = kind.makeQueue()
        let other = DispatchQueue(label: "test.other")
        dispatchPrecondition(condition: .notOnQueue(queue))
        #expect(_dispatchPreconditionTest(.notOnQueue(queue)))
        queue.sync {
          dispatchPrecondition(condition: .onQueue(queue))
          dispatchPrecondition(condition: .notOnQueue(other))
          #expect(_dispatchPreconditionTest(.onQueue(queue)))
        }
        let results = EventLog<Bool>()
        queue.async {
          results.append(_dispatchPreconditionTest(.onQueue(queue)))
          results.append(_dispatchPreconditionTest(.notOnQueue(other)))
        }
        try #expect(results.wait(forCount: 2) == [true, true])
        dispatchPrecondition(condition: .notOnQueue(queue))
      }
    }
  }

  @Test func onQueueAsBarrierHoldsWhereTheItemIsAlone() throws {
    try withEvery("queue", in: QueueKind.allCases.filter { $0 != .global }) { kind in
      let queue = kind.makeQueue()
      queue.sync(flags: .barrier) {
        dispatchPrecondition(condition: .onQueueAsBarrier(queue))
      }
      let results = EventLog<Bool>()
      queue.async(flags: .barrier) {
        results.append(_dispatchPreconditionTest(.onQueueAsBarrier(queue)))
      }
      try #expect(results.wait(forCount: 1) == [true])
      if !kind.runsSideBySide {
        // On a serial queue every item is a barrier.
        queue.async { results.append(_dispatchPreconditionTest(.onQueueAsBarrier(queue))) }
        try #expect(results.wait(forCount: 2) == [true, true])
        queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
      }
    }
  }

  @Test func onQueueHoldsForTheTargetsOfTheQueue() throws {
    let under = DispatchQueue(label: "test.under")
    let middle = DispatchQueue(label: "test.middle", target: under)
    let over = DispatchQueue(label: "test.over", attributes: .concurrent, target: middle)
    let sibling = DispatchQueue(label: "test.sibling", target: under)
    let done = EventCounter("items")
    let look: @Sendable () -> Void = {
      for queue in [under, middle, over] { dispatchPrecondition(condition: .onQueue(queue)) }
      dispatchPrecondition(condition: .notOnQueue(sibling))
      done.increment()
    }
    over.async(execute: look)
    try done.wait(for: 1)
    over.sync(execute: look)
    under.sync {
      dispatchPrecondition(condition: .onQueue(under))
      for queue in [middle, over, sibling] {
        dispatchPrecondition(condition: .notOnQueue(queue))
      }
      done.increment()
    }
    #expect(done.value == 3)
  }

  /// A concurrent queue targets the global queue of its class; a serial queue targets one only
  /// if it was given one.
  @Test func globalQueueThatIsATargetIsReached() throws {
    let global = DispatchQueue.global()
    let utility = DispatchQueue.global(qos: .utility)
    let onGlobal: [(DispatchQueue, DispatchQueue)] = [
      (DispatchQueue(label: "test.concurrent", attributes: .concurrent), global),
      (DispatchQueue(label: "test.class", qos: .utility, attributes: .concurrent), utility),
      (DispatchQueue(label: "test.serial.upon", target: utility), utility),
      (
        DispatchQueue(label: "test.over", target: DispatchQueue(label: "u", target: global)), global
      ),
    ]
    let done = EventCounter("items")
    for (queue, root) in onGlobal {
      let other = root === global ? utility : global
      let look: @Sendable () -> Void = {
        dispatchPrecondition(condition: .onQueue(root))
        dispatchPrecondition(condition: .notOnQueue(other))
        done.increment()
      }
      queue.sync(execute: look)
      queue.async(execute: look)
    }
    let serial = DispatchQueue(label: "test.serial.upon.none")
    serial.sync { dispatchPrecondition(condition: .notOnQueue(global)) }
    try done.wait(for: 2 * onGlobal.count)
  }

  /// Work that another thread runs while its caller waits is work of the caller's queues too.
  @Test func theCallersQueuesCountOnWhateverThreadItsWorkRuns() throws {
    let under = DispatchQueue(label: "test.caller.target")
    let caller = DispatchQueue(label: "test.caller", target: under)
    let shared = DispatchQueue(label: "test.caller.shared", attributes: .concurrent)
    let (busy, inner) = (DispatchQueue(label: "test.busy"), DispatchQueue(label: "test.inner"))
    let other = DispatchQueue(label: "test.other")
    for queue in [busy, inner] { queue.suspend() }
    let holds: @Sendable (DispatchPredicate) -> Bool = { _dispatchPreconditionTest($0) }
    let thread = try PlainThread {
      caller.sync {
        shared.sync(flags: .barrier) {
          let own = kernelThreadNumber()
          busy.asyncAndWait {
            #expect(kernelThreadNumber() != own)
            #expect([busy, shared, caller, under].allSatisfy { holds(.onQueue($0)) })
            #expect(holds(.onQueueAsBarrier(shared)) && holds(.notOnQueue(other)))
            inner.asyncAndWait {
              #expect([inner, busy, shared, caller, under].allSatisfy { holds(.onQueue($0)) })
            }
          }
        }
        shared.sync {
          #expect(!holds(.onQueueAsBarrier(shared)))
          #expect(holds(.notOnQueue(busy)) && holds(.notOnQueue(inner)))
        }
      }
    }
    for queue in [busy, inner] {
      try WaitWatch.waitUntilAsleep(for: .sync, on: queue.label)
      queue.resume()
    }
    try thread.join()
  }

  /// A thread that waits in `sync` may run earlier items in the meantime.
  @Test func theQueuesOfAWaitingThreadDoNotCountInTheItemsOfOthers() throws {
    let (caller, queue) = (DispatchQueue(label: "test.caller"), DispatchQueue(label: "test.queue"))
    let (strays, own) = (EventCounter("items on the caller's queue"), EventCounter("own items"))
    caller.sync {
      let thread = kernelThreadNumber()
      let end = Uptime.now() + RealTime.wedge
      // A worker may take an item first. Then the round proves nothing.
      while own.value < 50 && Uptime.now() < end {
        queue.async {
          if kernelThreadNumber() != thread { return }
          own.increment()
          if _dispatchPreconditionTest(.onQueue(caller)) { strays.increment() }
        }
        queue.sync {}
      }
    }
    #expect(strays.value == 0)
  }

  @Test func brokenPreconditionEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "test.not.on")))
    }
    await #expect(processExitsWith: .failure) {
      let queue = DispatchQueue(label: "test.on")
      queue.sync { dispatchPrecondition(condition: .notOnQueue(queue)) }
    }
    await #expect(processExitsWith: .failure) {
      let queue = DispatchQueue(label: "test.not.alone", attributes: .concurrent)
      queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
    }
    await #expect(processExitsWith: .failure) {
      let queue = DispatchQueue(label: "test.left")
      queue.sync {}
      dispatchPrecondition(condition: .onQueue(queue))
    }
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "test.held")
      queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
      dispatchPrecondition(condition: .notOnQueue(queue))
    }
  }

  @Test func nestedSyncIsOnBothQueues() {
    let outer = DispatchQueue(label: "test.outer")
    let inner = DispatchQueue(label: "test.inner")
    outer.sync {
      inner.sync {
        dispatchPrecondition(condition: .onQueue(inner))
        dispatchPrecondition(condition: .onQueue(outer))
      }
      dispatchPrecondition(condition: .notOnQueue(inner))
    }
  }
}
