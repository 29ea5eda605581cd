// AsyncSerialWorkerTests — asynchronous jobs, one after the other.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct AsyncSerialWorkerTests {
  /// Where a job calls done.
  enum Place: CaseIterable {
    /// In its closure.
    case within
    /// On another thread that the closure waits for.
    case beforeReturn
    /// On another thread, after the closure has returned.
    case afterReturn
    /// In an item of another queue, at any time.
    case elsewhere
  }

  /// Ends a job: calls `last` and then done, at the given place.
  private static func run(_ place: Place, _ done: @escaping DoneBlock, _ last: () -> Void = {}) {
    switch place {
    case .within:
      last()
      done()
    case .beforeReturn:
      let called = DispatchSemaphore(value: 0)
      last()
      DispatchQueue.global().async {
        done()
        called.signal()
      }
      called.wait()
    case .afterReturn:
      // The worker's own queue is serial: the item comes when this one has ended.
      last()
      DispatchQueue(label: "later").asyncAfter(deadline: .now() + .milliseconds(1), execute: done)
    case .elsewhere:
      last()
      DispatchQueue.global().async(execute: done)
    }
  }

  @Test func jobsRunInOrderAndNeverTwoAtATime() throws {
    try withEvery("place", in: Place.allCases) { place in
      let worker = AsyncSerialWorker()
      let order = EventLog<Int>()
      let underWay = Occupancy()
      for job in 0..<100 {
        worker.enqueueWork { done in
          underWay.enter()
          order.append(job)
          Self.run(place, done) { underWay.leave() }
        }
      }
      try #expect(order.wait(forCount: 100) == Array(0..<100))
      #expect(underWay.most == 1)
    }
  }

  @Test func nextJobWaitsForDone() throws {
    let worker = AsyncSerialWorker()
    let first = Guarded<DoneBlock?>(nil)
    let started = EventCounter("jobs started")
    worker.enqueueWork { done in
      first.withValue { $0 = done }
      started.increment()
    }
    worker.enqueueWork { done in
      started.increment()
      done()
    }
    try started.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(started.value == 1)
    first.current?()
    try started.wait(for: 2)
  }

  /// A job has ended only when its closure has also returned.
  @Test func nextJobWaitsForTheReturn() throws {
    try withEvery("done on another thread", in: [false, true]) { elsewhere in
      let worker = AsyncSerialWorker()
      let isCalled = Gate("done called")
      let mayReturn = Gate("the first job may return")
      let second = Gate("the second job")
      worker.enqueueWork { done in
        if elsewhere {
          DispatchQueue.global().async {
            done()
            isCalled.open()
          }
        } else {
          done()
          isCalled.open()
        }
        mayReturn.pass()
      }
      worker.enqueueWork { done in
        second.open()
        done()
      }
      try isCalled.wait()
      letRealTimePass(RealTime.settling)
      #expect(!second.isOpened)
      mayReturn.open()
      try second.wait()
    }
  }

  @Test func doneCalledTwiceIsHarmless() throws {
    let worker = AsyncSerialWorker()
    let blocks = EventLog<DoneBlock>()
    for _ in 0..<3 { worker.enqueueWork { blocks.append($0) } }
    try blocks.wait(forCount: 1)
    for _ in 0..<3 { blocks.all[0]() }
    try blocks.wait(forCount: 2)
    blocks.all[0]()
    letRealTimePass(RealTime.settling)
    #expect(blocks.count == 2)
    blocks.all[1]()
    try blocks.wait(forCount: 3)
    for block in blocks.all { block() }
    // Also within the job, before it returns.
    let ran = EventCounter("jobs")
    for _ in 0..<3 {
      worker.enqueueWork { done in
        done()
        done()
        ran.increment()
        DispatchQueue.global().async(execute: done)
      }
    }
    try ran.wait(for: 3)
  }

  /// If each job held a thread, the serial queue below them could start only one.
  @Test func noThreadIsHeldWhileAJobRunsElsewhere() throws {
    let queue = DispatchQueue(label: "org.signalbox.tests.one-thread")
    let workers = (0..<200).map { AsyncSerialWorker(label: "worker \($0)", target: queue) }
    let blocks = EventLog<DoneBlock>()
    for worker in workers { worker.enqueueWork { blocks.append($0) } }
    for block in try blocks.wait(forCount: 200) { block() }
    let last = EventCounter("last jobs")
    for worker in workers {
      worker.enqueueWork { done in
        last.increment()
        done()
      }
    }
    try last.wait(for: 200)
  }

  @Test func nextJobSeesTheEffectsOfTheLast() throws {
    try withEvery("place", in: Place.allCases) { place in
      let worker = AsyncSerialWorker()
      // Only the current job uses it.
      let sum = Unshared(0)
      let isOver = Gate("the last job")
      for job in 1...200 {
        worker.enqueueWork { done in
          sum.value += job
          Self.run(place, done)
        }
      }
      worker.enqueueWork { done in
        #expect(sum.value == 200 * 201 / 2)
        isOver.open()
        done()
      }
      try isOver.wait()
    }
  }

  @Test func jobsOfAReleasedWorkerAreStillRun() throws {
    let ran = EventCounter("jobs")
    let watch = WeakWatch()
    let first = Guarded<DoneBlock?>(nil)
    do {
      let worker = watch.watch(AsyncSerialWorker())
      worker.enqueueWork { done in
        first.withValue { $0 = done }
        ran.increment()
      }
      for _ in 0..<3 {
        worker.enqueueWork { done in
          ran.increment()
          done()
        }
      }
    }
    try ran.wait(for: 1)
    #expect(watch.alive == 0)
    first.withValue { $0?() }
    try ran.wait(for: 4)
  }

  /// Nothing waits behind the job, so only the job is lost.
  @Test func jobThatNeverCallsDoneIsFreedWithItsWorker() throws {
    let tracker = LeakTracker()
    let started = EventCounter("jobs")
    try withEvery("keeps the block", in: [false, true]) { keeps in
      let kept = Guarded<DoneBlock?>(nil)
      do {
        let worker = AsyncSerialWorker()
        let object = tracker.makeObject()
        worker.enqueueWork { done in
          object.touch()
          if keeps { kept.withValue { $0 = done } }
          started.increment()
        }
        try started.wait(for: keeps ? 2 : 1)
      }
      kept.withValue { $0 = nil }
      try tracker.waitUntilAllAreFreed()
    }
  }

  @Test func capturesOfAJobAreFreedBeforeTheNextStarts() throws {
    let worker = AsyncSerialWorker()
    let tracker = LeakTracker()
    let freed = EventLog<Int>()
    for _ in 0..<100 {
      do {
        // Only the job holds the object when the next job is enqueued.
        let object = tracker.makeObject()
        worker.enqueueWork { done in
          object.touch()
          done()
        }
      }
      worker.enqueueWork { done in
        freed.append(tracker.freed)
        done()
      }
    }
    try #expect(freed.wait(forCount: 100) == Array(1...100))
  }

  /// A job that enqueues the next one causes neither recursion nor a deadlock.
  @Test func jobEnqueuesAnother() throws {
    let worker = AsyncSerialWorker()
    let isOver = Gate("the chain")
    @Sendable func step(_ left: Int) {
      worker.enqueueWork { done in
        if left == 0 { isOver.open() } else { step(left - 1) }
        done()
      }
    }
    step(30_000)
    try isOver.wait()
  }

  @Test func otherItemsOfTheTargetGetTheirTurn() throws {
    let queue = DispatchQueue(label: "org.signalbox.tests.shared-target")
    let worker = AsyncSerialWorker(target: queue)
    let stops = Guarded(false)
    @Sendable func again() {
      worker.enqueueWork { done in
        if !stops.current { again() }
        done()
      }
    }
    again()
    let turns = EventCounter("turns")
    for turn in 1...3 {
      queue.async { turns.increment() }
      try turns.wait(for: turn)
    }
    stops.withValue { $0 = true }
  }
}

/// A plain value that the code under test guards.
final class Unshared<Value>: @unchecked Sendable {
  // SAFETY: deliberately unprotected: the worker under test keeps its jobs apart.
  var value: Value

  init(_ value: Value) { self.value = value }
}
