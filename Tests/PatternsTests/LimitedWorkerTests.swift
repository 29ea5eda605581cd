// LimitedWorkerTests — a limited number of jobs at a time.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct LimitedWorkerTests {
  @Test func limitIsReachedAndKept() throws {
    try withEvery("limit", in: 1...4) { limit in
      try withEvery("asynchronous", in: [false, true]) { isAsynchronous in
        let worker = LimitedWorker(limit: limit)
        let underWay = Occupancy()
        let ended = EventCounter("jobs")
        // Jobs meet in this number: fewer at a time would never continue.
        let meeting = Meeting(of: limit)
        for _ in 0..<limit * 20 {
          if isAsynchronous {
            worker.enqueueWork { done in
              underWay.enter()
              DispatchQueue.global().async {
                meeting.arrive()
                underWay.leave()
                done()
                ended.increment()
              }
            }
          } else {
            worker.enqueueWork {
              underWay.enter()
              meeting.arrive()
              underWay.leave()
              ended.increment()
            }
          }
        }
        try ended.wait(for: limit * 20)
        #expect(underWay.most == limit)
        #expect(underWay.entered == limit * 20)
      }
    }
  }

  @Test func jobsStartInTheOrderEnqueued() throws {
    let worker = LimitedWorker(limit: 1)
    let order = EventLog<Int>()
    for job in 0..<1_000 {
      if job.isMultiple(of: 2) {
        worker.enqueueWork { order.append(job) }
      } else {
        worker.enqueueWork { done in
          order.append(job)
          DispatchQueue.global().async(execute: done)
        }
      }
    }
    try #expect(order.wait(forCount: 1_000) == Array(0..<1_000))
  }

  /// With several jobs at a time, none starts before an earlier one.
  @Test func noJobOvertakesAnother() throws {
    let worker = LimitedWorker(limit: 3)
    let blocks = EventLog<(job: Int, done: DoneBlock)>()
    for job in 0..<300 { worker.enqueueWork { blocks.append((job, $0)) } }
    for ended in 0..<300 {
      let started = try blocks.wait(forCount: min(ended + 3, 300))
      #expect(Set(started.map(\.job)) == Set(0..<started.count))
      started[ended].done()
    }
  }

  /// While 2 jobs run, 500 wait, all on one thread, that of the target.
  @Test func waitingJobsHoldNoThread() throws {
    let queue = DispatchQueue(label: "org.signalbox.tests.one-thread")
    let worker = LimitedWorker(limit: 2, target: queue)
    let blocks = EventLog<DoneBlock>()
    for _ in 0..<500 { worker.enqueueWork { blocks.append($0) } }
    try blocks.wait(forCount: 2)
    // The queue is free, although so many jobs wait.
    queue.sync {}
    letRealTimePass(RealTime.settling)
    #expect(blocks.count == 2)
    for ended in 0..<500 { try blocks.wait(forCount: ended + 1)[ended]() }
    queue.sync {}
    #expect(blocks.count == 500)
  }

  @Test func jobThatWaitsForTheNextOneGetsItWithinTheLimit() throws {
    let worker = LimitedWorker(limit: 2)
    let ended = EventCounter("pairs")
    for _ in 0..<100 {
      let meeting = Meeting(of: 2)
      for _ in 0..<2 {
        worker.enqueueWork {
          meeting.arrive()
          ended.increment()
        }
      }
    }
    try ended.wait(for: 200)
  }

  @Test func lostDoneBlockTakesOneFromTheLimit() throws {
    let worker = LimitedWorker(limit: 2)
    let isLost = Gate("a job that never calls done")
    let tracker = LeakTracker()
    let object = tracker.makeObject()
    worker.enqueueWork { (_: @escaping DoneBlock) in
      object.touch()
      isLost.open()
    }
    try isLost.wait()
    let underWay = Occupancy()
    let ended = EventCounter("jobs")
    for _ in 0..<50 {
      worker.enqueueWork {
        underWay.enter()
        underWay.leave()
        ended.increment()
      }
    }
    try ended.wait(for: 50)
    #expect(underWay.most == 1)
  }

  @Test func doneCalledTwiceDoesNotRaiseTheLimit() throws {
    let worker = LimitedWorker(limit: 2)
    let blocks = EventLog<DoneBlock>()
    for _ in 0..<5 { worker.enqueueWork { blocks.append($0) } }
    try blocks.wait(forCount: 2)
    for _ in 0..<4 { blocks.all[0]() }
    try blocks.wait(forCount: 3)
    letRealTimePass(RealTime.settling)
    #expect(blocks.count == 3)
    for ended in 1..<5 { try blocks.wait(forCount: ended + 1)[ended]() }
  }

  @Test func jobsOfAReleasedWorkerAreStillRunAndThenFreed() throws {
    let tracker = LeakTracker()
    let ran = EventCounter("jobs")
    let gate = Gate("the first job may end")
    do {
      let worker = LimitedWorker(limit: 1)
      worker.enqueueWork { gate.pass() }
      for _ in 0..<500 {
        let object = tracker.makeObject()
        worker.enqueueWork {
          object.touch()
          ran.increment()
        }
      }
    }
    #expect(tracker.alive == 500)
    gate.open()
    try ran.wait(for: 500)
    try tracker.waitUntilAllAreFreed()
  }

  @Test func repeatedBurstsAreServed() throws {
    let worker = LimitedWorker(limit: 2)
    let ran = EventCounter("jobs")
    var expected = 0
    for size in [1, 62, 63, 64, 126, 127, 1_000, 1, 200] {
      for _ in 0..<size { worker.enqueueWork { ran.increment() } }
      expected += size
      try ran.wait(for: expected)
    }
    letRealTimePass(RealTime.settling)
    #expect(ran.value == expected)
  }
}

/// Lets items continue only in groups of a fixed size.
final class Meeting: Sendable {
  private let size: Int
  private let arrivals = Guarded(0)
  private let turnstile = DispatchSemaphore(value: 0)

  init(of size: Int) { self.size = size }

  func arrive() {
    let isLast = arrivals.withValue { count in
      count += 1
      return count.isMultiple(of: size)
    }
    guard isLast else { return turnstile.wait() }
    for _ in 1..<size { turnstile.signal() }
  }
}
