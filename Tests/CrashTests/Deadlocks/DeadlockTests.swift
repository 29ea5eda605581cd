// Threads that wait for each other forever: the process says who, and ends.

import CountedFacts
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("a deadlock traps with every thread and queue of the cycle")
struct DeadlockTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Queues alone

    Misuse(
      "the items of two queues wait for each other's queue", closesCycleOf: 2, ["dead.a", "dead.b"]
    ) {
      let ring = Ring(["dead.a", "dead.b"])
      let meeting = Meeting(2)
      for index in 0..<2 {
        ring.queues[index].async {
          meeting.meet()
          ring.next(index).sync {}
        }
      }
      Trap.waitForIt()
    }
    // A worker of normal priority searches for the cycle.
    Misuse(
      "the items of two queues of low priority wait for each other's queue", closesCycleOf: 2,
      ["dead.a", "dead.b"]
    ) {
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
    Misuse("three threads wait in a ring", closesCycleOf: 3, ["dead.0", "dead.1", "dead.2"]) {
      try Ring(["dead.0", "dead.1", "dead.2"]).close()
      Trap.waitForIt()
    }
    Misuse("eight threads wait in a ring", closesCycleOf: 8, (0..<8).map { "dead.\($0)" }) {
      try Ring((0..<8).map { "dead.\($0)" }).close()
      Trap.waitForIt()
    }
    // This thread may find the cycle too.
    Misuse(
      "a thread outside the ring waits for it", closesCycleOf: 3, ["dead.0", "dead.1", "dead.2"]
    ) {
      let ring = Ring(["dead.0", "dead.1", "dead.2"])
      let held = DispatchSemaphore(value: 0)
      _ = try PlainThread {
        held.wait()
        ring.queues[1].sync {}
      }
      try ring.close { held.signal() }
      Trap.waitForIt()
    }
    Misuse(
      "a nested sync holds an inner queue too", closesCycleOf: 2, ["dead.a", "dead.b"],
      says: "\"dead.inner\" within \"dead.a\""
    ) {
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
    }

    // MARK: Barriers

    Misuse(
      "a barrier waits for a share", closesCycleOf: 2, ["dead.readers", "dead.serial"],
      says: "shared by thread"
    ) {
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
    }
    // Each share keeps the barrier waiting; here an item holds it.
    Misuse(
      "a barrier waits for one of many shares", closesCycleOf: 2, ["dead.readers", "dead.serial"]
    ) {
      let readers = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      let serial = DispatchQueue(label: "dead.serial")
      let meeting = Meeting(4)
      for index in 0..<3 {
        readers.async {
          meeting.meet()
          if index == 1 { serial.sync {} } else { DispatchSemaphore(value: 0).wait() }
        }
      }
      serial.sync {
        meeting.meet()
        readers.sync(flags: .barrier) {}
      }
    }
    // The reader waits behind the writer, which waits for the reader.
    Misuse(
      "a share waits behind a barrier that waits for the same share", closesCycleOf: 1,
      ["dead.readers"]
    ) {
      let readers = DispatchQueue(label: "dead.readers", attributes: .concurrent)
      readers.sync {
        readers.async(flags: .barrier) {}
        readers.sync {}
      }
    }

    // MARK: Hierarchies

    Misuse(
      "two queues with the same target wait for each other", closesCycleOf: 2,
      ["dead.target", "dead.other"], says: "holding the queue \"dead.a\"", "on the queue \"dead.b\""
    ) {
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
    }
    for depth in [1, 3] {
      // No thread owns the awaited queue: it waits for the owner of its target.
      Misuse(
        "a queue at depth \(depth) waits for its target", closesCycleOf: 2,
        ["dead.level\(depth - 1)", "dead.other"]
      ) {
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
      }
    }
    // A share counts although its queue still waits for the target.
    Misuse(
      "a barrier waits for a share that waits for its target", closesCycleOf: 2,
      ["dead.readers", "dead.target"]
    ) {
      let target = DispatchQueue(label: "dead.target")
      let readers = DispatchQueue(
        label: "dead.readers", attributes: .concurrent, target: target)
      target.sync {
        _ = try? PlainThread { readers.sync {} }
        untilReported("for the queue \"dead.target\"")
        readers.sync(flags: .barrier) {}
      }
    }
    // A thread in sync runs the items before its own and still holds its queue. No worker is
    // free to run them. If the pool calls one more, that worker may come first: its item ends,
    // and the thread submits another.
    Misuse(
      "a waiter that holds another queue runs an item that wants it", closesCycleOf: 1,
      ["dead.readers"]
    ) {
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
        let own = pthread_self()
        readers.sync {
          while true {
            queue.async {
              if pthread_self() == own { readers.sync(flags: .barrier) {} }
            }
            queue.sync {}
          }
        }
      }
      Trap.waitForIt()
    }
  }

  // MARK: The main queue

  @Test(arguments: [
    (DeadlockScenario.deadlockMainQueueAndAnother, ["com.apple.main-thread", "dead.queue"]),
    (DeadlockScenario.deadlockMainQueueDrainedByAHost, ["com.apple.main-thread", "dead.queue"]),
    (DeadlockScenario.deadlockQueueThatTargetsMain, ["com.apple.main-thread", "dead.queue"]),
  ])
  func withTheMainQueue(scenario: DeadlockScenario, cycle: [String]) throws {
    let text = try Trap.output(of: scenario)
    Trap.expectCycle(Array(text.utf8), threads: 2, cycle)
    Trap.expectMessage(in: text, ["the main thread"])
  }

  @Test func theMainThreadWaitsForAnItemOfTheMainQueue() throws {
    let text = try Trap.output(of: DeadlockScenario.deadlockGroupOnTheMainQueue)
    Trap.expectMessage(
      in: text, ["deadlock", "a group with 1 member", "the main thread", "waits behind"])
  }

  // MARK: Time

  @Test func aCycleIsReportedSoon() throws {
    let outcome = try ChildProgram.run(
      DeadlockScenario.deadlockTime, environment: ["SWIFT_BACKTRACE": "enable=no"])
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

  func next(_ index: Int) -> DispatchQueue { queues[(index + 1) % queues.count] }

  /// Starts a thread for each queue; they meet, then wait for each other.
  func close(_ held: @escaping @Sendable () -> Void = {}) throws {
    let meeting = Meeting(queues.count)
    for index in queues.indices {
      _ = try PlainThread {
        queues[index].sync {
          meeting.meet()
          if index == 0 { held() }
          next(index).sync {}
        }
      }
    }
  }
}

/// Where so many threads or items wait until all have arrived.
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
