// Threads that wait for each other for ever: the process says who, and ends.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("a deadlock traps with every thread and queue of the cycle")
struct DeadlockTests {
  // MARK: Queues alone

  @Test func twoQueuesFromItems() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let ring = Ring(["dead.a", "dead.b"])
      let meeting = Meeting(2)
      for place in 0..<2 {
        ring.queues[place].async {
          meeting.meet()
          ring.next(place).sync {}
        }
      }
      Trap.waitForIt()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.a", "dead.b"])
  }

  /// The search is made by a worker of normal priority.
  @Test func twoQueuesOfLowPriority() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let a = DispatchQueue(label: "dead.a", qos: .background)
      let b = DispatchQueue(label: "dead.b", qos: .utility)
      let meeting = Meeting(2)
      a.async {
        meeting.meet()
        b.sync {}
      }
      b.async {
        meeting.meet()
        a.sync {}
      }
      Trap.waitForIt()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.a", "dead.b"])
  }

  @Test func aRingOfThreeThreads() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      try Ring(["dead.0", "dead.1", "dead.2"]).close()
      Trap.waitForIt()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 3, ["dead.0", "dead.1", "dead.2"])
  }

  @Test func aRingOfEightThreads() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      try Ring((0..<8).map { "dead.\($0)" }).close()
      Trap.waitForIt()
    }
    Trap.expectCycle(
      result?.standardErrorContent, threads: 8, (0..<8).map { "dead.\($0)" })
  }

  /// One thread outside the cycle waits for it: it may find it too.
  @Test func aRingThatOthersWaitFor() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let ring = Ring(["dead.0", "dead.1", "dead.2"])
      let held = DispatchSemaphore(value: 0)
      _ = try PlainThread {
        held.wait()
        ring.queues[1].sync {}
      }
      try ring.close { held.signal() }
      Trap.waitForIt()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 3, ["dead.0", "dead.1", "dead.2"])
  }

  @Test func nestedSyncsOverAQueueBetween() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let a = DispatchQueue(label: "dead.a")
      let b = DispatchQueue(label: "dead.b")
      let inner = DispatchQueue(label: "dead.inner")
      let meeting = Meeting(2)
      _ = try PlainThread {
        a.sync {
          inner.sync {
            meeting.meet()
            b.sync {}
          }
        }
      }
      b.sync {
        meeting.meet()
        a.sync {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.a", "dead.b"])
    Trap.expect(result?.standardErrorContent, says: "\"dead.inner\" within \"dead.a\"")
  }

  // MARK: Barriers

  @Test func aBarrierAgainstAShare() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let readers = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      let serial = DispatchQueue(label: "dead.serial")
      let meeting = Meeting(2)
      _ = try PlainThread {
        readers.sync {
          meeting.meet()
          serial.sync {}
        }
      }
      serial.sync {
        meeting.meet()
        readers.sync(flags: .barrier) {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.readers", "dead.serial"])
    Trap.expect(result?.standardErrorContent, says: "shared by thread")
  }

  /// Any one of the sharers keeps the barrier waiting; here it is an item.
  @Test func aBarrierAgainstOneOfManyShares() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let readers = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      let serial = DispatchQueue(label: "dead.serial")
      let meeting = Meeting(4)
      for place in 0..<3 {
        readers.async {
          meeting.meet()
          if place == 1 { serial.sync {} } else { DispatchSemaphore(value: 0).wait() }
        }
      }
      serial.sync {
        meeting.meet()
        readers.sync(flags: .barrier) {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.readers", "dead.serial"])
  }

  /// The reader waits behind the writer, which waits for the reader.
  @Test func aShareBehindABarrierBehindTheSameShare() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let readers = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      readers.sync {
        readers.async(flags: .barrier) {}
        readers.sync {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 1, ["dead.readers"])
  }

  // MARK: Hierarchies

  @Test func twoQueuesOfOneTarget() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let target = DispatchQueue(label: "dead.target")
      let a = DispatchQueue(label: "dead.a", target: target)
      let b = DispatchQueue(label: "dead.b", target: target)
      let other = DispatchQueue(label: "dead.other")
      let meeting = Meeting(2)
      _ = try PlainThread {
        other.sync {
          meeting.meet()
          a.sync {}
        }
      }
      b.sync {
        meeting.meet()
        other.sync {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.target", "dead.other"])
    Trap.expect(
      result?.standardErrorContent, says: "holding the queue \"dead.a\"", "on the queue \"dead.b\"")
  }

  /// Nobody owns the queue waited for: it stands behind its target's owner.
  @Test(arguments: [1, 3]) func aQueueThatStandsBehindItsTarget(depth: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [depth] in
      Trap.arm()
      let target = DispatchQueue(label: "dead.target")
      var queue = target
      for level in 0..<depth {
        queue = DispatchQueue(label: "dead.level\(level)", target: queue)
      }
      let top = queue
      let other = DispatchQueue(label: "dead.other")
      let meeting = Meeting(2)
      _ = try PlainThread {
        other.sync {
          meeting.meet()
          top.sync {}
        }
      }
      target.sync {
        top.async {}
        meeting.meet()
        other.sync {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(
      result?.standardErrorContent, threads: 2, ["dead.level\(depth - 1)", "dead.other"])
  }

  /// The share of a queue that still waits for its target counts.
  @Test func aBarrierAgainstAShareThatWaitsForItsTarget() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let target = DispatchQueue(label: "dead.target")
      let readers = DispatchQueue(
        label: "dead.readers", attributes: .concurrent, target: target)
      target.sync {
        _ = try? PlainThread { readers.sync {} }
        untilReported("for the queue \"dead.target\"")
        readers.sync(flags: .barrier) {}
      }
      Trap.notReached()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 2, ["dead.readers", "dead.target"])
  }

  /// A thread in sync that runs the items before it holds what it held. No worker
  /// is free to run them.
  @Test func anItemRunByAWaiterThatHoldsAnotherQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let readers = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      let queue = DispatchQueue(label: "dead.queue")
      let busy = Occupancy()
      for _ in 0..<processorCount {
        DispatchQueue.global().async {
          busy.enter()
          while true {}
        }
      }
      try busy.wait(forEntered: processorCount)
      _ = try PlainThread {
        readers.sync {
          queue.async { readers.sync(flags: .barrier) {} }
          queue.sync {}
        }
      }
      Trap.waitForIt()
    }
    Trap.expectCycle(result?.standardErrorContent, threads: 1, ["dead.readers"])
  }

  // MARK: The main queue

  @Test(arguments: [
    ("deadlock-main-queue-and-another", ["com.apple.main-thread", "dead.queue"]),
    ("deadlock-main-queue-drained-by-a-host", ["com.apple.main-thread", "dead.queue"]),
    ("deadlock-queue-that-targets-main", ["com.apple.main-thread", "dead.queue"]),
  ])
  func withTheMainQueue(scenario: String, cycle: [String]) throws {
    let text = try Trap.output(of: scenario)
    Trap.expectCycle(Array(text.utf8), threads: 2, cycle)
    Trap.expectMessage(in: text, ["the main thread"])
  }

  @Test func theMainThreadWaitsForAnItemOfTheMainQueue() throws {
    let text = try Trap.output(of: "deadlock-group-on-the-main-queue")
    Trap.expectMessage(
      in: text, ["deadlock", "a group with 1 member", "the main thread", "waits behind"])
  }

  // MARK: Time

  @Test func aCycleIsReportedSoon() throws {
    let outcome = try ChildProgram("CountedFacts").run(
      ["deadlock-time"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    Trap.expectCycle(Array(outcome.standardError.utf8), threads: 2, ["dead.a", "dead.b"])
    let closed = try #require(outcome.facts["closed"].flatMap { UInt64($0) })
    let aborted = try #require(outcome.facts["aborted"].flatMap { UInt64($0) })
    let time = Uptime(nanoseconds: aborted).since(Uptime(nanoseconds: closed))
    StandardError.print("a deadlock was reported \(time) after it was closed")
    #expect(time < RealTime.wedge)
  }
}

// MARK: Means

/// Queues in a ring, each to be held by a thread that then wants the next.
struct Ring: Sendable {
  let queues: [DispatchQueue]

  init(_ labels: [String]) { queues = labels.map { DispatchQueue(label: $0) } }

  func next(_ place: Int) -> DispatchQueue { queues[(place + 1) % queues.count] }

  /// Starts a thread for each queue; they meet, then wait for each other.
  func close(_ held: @escaping @Sendable () -> Void = {}) throws {
    let meeting = Meeting(queues.count)
    for place in queues.indices {
      _ = try PlainThread {
        queues[place].sync {
          meeting.meet()
          if place == 0 { held() }
          next(place).sync {}
        }
      }
    }
  }
}

/// Where so many threads or items wait until all have come.
final class Meeting: Sendable {
  private let parties: Int
  private let arrived = EventCounter("arrivals")
  private let all = DispatchSemaphore(value: 0)

  init(_ parties: Int) { self.parties = parties }

  func meet() {
    if arrived.increment() == parties { for _ in 1..<parties { all.signal() } } else { all.wait() }
  }
}

/// Waits until the report of who waits contains `words`.
func untilReported(_ words: String) {
  while !BlockedReport.text().contains(words) { sched_yield() }
}
