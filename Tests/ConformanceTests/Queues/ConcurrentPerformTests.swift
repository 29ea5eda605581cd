// ConcurrentPerformTests — `concurrentPerform`.

import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

@Suite(.guarded)
struct ConcurrentPerformTests {
  @Test func everyIndexRunsExactlyOnceBeforeItReturns() throws {
    try withEvery("iterations", in: [0, 1, 2, 3, 7, 64, 1000]) { iterations in
      let log = EventLog<Int>()
      DispatchQueue.concurrentPerform(iterations: iterations) { log.append($0) }
      #expect(log.all.sorted() == Array(0..<iterations))
    }
  }

  @Test func resultsAreVisibleToTheCaller() {
    let cells = (0..<500).map { _ in Unprotected(0) }
    DispatchQueue.concurrentPerform(iterations: 500) { cells[$0].value = $0 * $0 }
    #expect(cells.enumerated().allSatisfy { $0.element.value == $0.offset * $0.offset })
  }

  @Test(.enabled(if: processorCount >= 2, "iterations run side by side on two processors"))
  func iterationsRunConcurrently() {
    // Each iteration waits for the other: neither could end alone.
    let gates = [Gate("first"), Gate("second")]
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      gates[index].open()
      gates[1 - index].pass()
    }
    #expect(gates.allSatisfy { $0.isOpened })
  }

  @Test(.enabled(if: processorCount >= 2, "iterations run side by side on two processors"))
  func callerTakesPart() throws {
    // Whatever the pool does, the calling thread runs some of the iterations.
    let own = EventCounter("iterations on the caller")
    let caller = kernelThreadNumber()
    let all = EventCounter("iterations")
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      if kernelThreadNumber() == caller { own.increment() }
      all.increment()
      // Waits until both have begun, so that one thread cannot run both.
      all.pass(2)
    }
    #expect(own.value == 1)
  }

  @Test func nests() {
    let ran = EventCounter("inner iterations")
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        DispatchQueue.concurrentPerform(iterations: 4) { _ in ran.increment() }
      }
    }
    #expect(ran.value == 256)
  }

  @Test func runsWithinItemsOfEveryQueue() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let ran = EventCounter("iterations")
      let done = EventCounter("items")
      queue.async {
        DispatchQueue.concurrentPerform(iterations: 50) { _ in ran.increment() }
        done.increment()
      }
      queue.sync {
        DispatchQueue.concurrentPerform(iterations: 50) { _ in ran.increment() }
      }
      try done.wait(for: 1)
      #expect(ran.value == 100)
    }
  }

  @Test func severalThreadsMayCallItAtOnce() throws {
    try runThreads(4) { _ in
      for _ in 0..<20 {
        let sum = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 100) {
          sum.add($0, ordering: .relaxed)
        }
        #expect(sum.load(ordering: .relaxed) == 4950)
      }
    }
  }

  @Test func completesWhileEveryWorkerIsBlocked() throws {
    let gate = Gate()
    let started = EventCounter("held workers")
    let ended = EventCounter("ended")
    for _ in 0..<16 {
      DispatchQueue.global().async {
        started.increment()
        gate.pass()
        ended.increment()
      }
    }
    try started.wait(for: 1)
    let ran = EventCounter("iterations")
    DispatchQueue.concurrentPerform(iterations: 100) { _ in ran.increment() }
    #expect(ran.value == 100)
    gate.open()
    try ended.wait(for: 16)
  }

  @Test func capturesOfTheBodyAreNotKept() throws {
    let tracker = LeakTracker()
    do {
      let object = tracker.makeObject()
      DispatchQueue.concurrentPerform(iterations: 20) { _ in object.touch() }
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 1)
  }
}
