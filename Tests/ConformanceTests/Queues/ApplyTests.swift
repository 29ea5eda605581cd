// ApplyTests — the loop that takes a queue.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ApplyTests {
  @Test func everyIndexRunsExactlyOnceOnEveryQueue() throws {
    try withEvery("queue", in: QueueKind.allCases.map(Optional.some) + [nil]) { kind in
      let queue = kind?.makeQueue()
      for iterations in [0, 1, 2, 63, 1_000] {
        let log = EventLog<Int>()
        dispatch_apply(iterations, queue) { log.append($0) }
        #expect(log.all.sorted() == Array(0..<iterations))
      }
    }
  }

  @Test func onASerialQueueOrOneWithASerialTargetItIsInOrder() {
    let serial = DispatchQueue(label: "test.serial")
    let queues = [
      serial, DispatchQueue(label: "test.over", attributes: .concurrent, target: serial),
      DispatchWorkloop(label: "test.workloop"),
      DispatchQueue(
        label: "test.top", attributes: .concurrent,
        target: DispatchQueue(label: "test.middle", attributes: .concurrent, target: serial)),
    ]
    for queue in queues {
      let indices = Unprotected<[Int]>([])
      dispatch_apply(500, queue) { index in
        dispatchPrecondition(condition: .onQueue(queue))
        indices.value.append(index)
      }
      #expect(indices.value == Array(0..<500))
    }
  }

  @Test(.enabled(if: processorCount >= 2, "iterations run side by side on two processors"))
  func onAConcurrentQueueIterationsRunConcurrently() throws {
    try withEvery("queue", in: [QueueKind.concurrent, .concurrentOnConcurrent, .global]) { kind in
      let queue = kind.makeQueue()
      let arrivals = EventCounter("iterations")
      dispatch_apply(2, queue) { _ in
        dispatchPrecondition(condition: .onQueue(queue))
        arrivals.increment()
        arrivals.pass(2)
      }
      #expect(arrivals.value == 2)
    }
  }

  @Test func aBarrierBeforeItEndsFirst() throws {
    let queue = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    let value = Unprotected(0)
    queue.async(flags: .barrier) { value.value = 1 }
    let early = EventCounter("iterations before the barrier's end")
    dispatch_apply(100, queue) { _ in if value.value != 1 { early.increment() } }
    #expect(early.value == 0)
  }

  @Test func aBarrierAfterItWaitsForAllIterations() throws {
    try withEvery("queue", in: [QueueKind.concurrent, .concurrentOnConcurrent]) { kind in
      let queue = kind.makeQueue()
      let ended = EventCounter("iterations")
      let seen = EventLog<Int>()
      dispatch_apply(200, queue) { index in
        if index == 0 { queue.async(flags: .barrier) { seen.append(ended.value) } }
        ended.increment()
      }
      let found = try seen.wait(forCount: 1)
      #expect(found == [200])
    }
  }

  @Test func barriersOfAnyThreadNeverOverlapIterations() throws {
    let queue = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    let inside = Occupancy()
    let met = EventCounter("barriers that met an iteration")
    try runThreads(3) { thread in
      for _ in 0..<50 {
        if thread == 0 {
          queue.sync(flags: .barrier) { if inside.inside > 0 { met.increment() } }
        } else {
          dispatch_apply(40, queue) { _ in
            inside.enter()
            inside.leave()
          }
        }
      }
    }
    #expect(met.value == 0)
    #expect(inside.entered == 2 * 50 * 40)
  }

  @Test func fromWorkOfTheSameConcurrentQueueItRunsDespiteAPendingBarrier() throws {
    let queue = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    let log = EventLog<String>()
    queue.async {
      queue.async(flags: .barrier) { log.append("barrier") }
      dispatch_apply(20, queue) { _ in
        dispatch_apply(2, queue) { _ in log.append("iteration") }
      }
    }
    let all = try log.wait(forCount: 41)
    #expect(all == Array(repeating: "iteration", count: 40) + ["barrier"])
    queue.sync(flags: .barrier) {
      dispatch_apply(10, queue) { _ in log.append("in a barrier") }
    }
    #expect(log.count == 51)
  }

  @Test func fromWorkOfOtherQueuesAndNested() {
    let outer = DispatchQueue(label: "test.outer")
    let inner = DispatchQueue(label: "test.inner", attributes: .concurrent)
    let ran = EventCounter("iterations")
    outer.sync {
      dispatch_apply(5, inner) { _ in
        dispatch_apply(5, .global()) { _ in ran.increment() }
      }
    }
    #expect(ran.value == 25)
  }

  @Test func aSuspendedQueueBeginsWhenItIsResumed() throws {
    let queue = DispatchQueue(label: "test.concurrent", attributes: .concurrent)
    queue.suspend()
    let ran = EventCounter("iterations")
    let caller = try PlainThread { dispatch_apply(10, queue) { _ in ran.increment() } }
    #expect(ran.value == 0)
    queue.resume()
    try caller.join()
    #expect(ran.value == 10)
  }

  @Test func nothingIsKept() throws {
    let tracker = LeakTracker()
    for kind in QueueKind.allCases {
      let object = tracker.makeObject()
      dispatch_apply(10, kind.makeQueue()) { _ in object.touch() }
    }
    try tracker.waitUntilAllAreFreed()
  }
}
