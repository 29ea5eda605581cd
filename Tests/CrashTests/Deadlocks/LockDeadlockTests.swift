// Threads that wait for each other's locks, alone and mixed with queues and groups.

import CountedFacts
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("a deadlock over locks traps with every thread and lock of the cycle")
struct LockDeadlockTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Locks alone

    Misuse(
      "two threads wait for each other's locks", reportsCycleOf: ["dead.a", "dead.b"],
      says: ", holding the NSLock \"dead.a\", waits for the NSLock",
      ", holding the NSLock \"dead.b\", waits for the NSLock", "(for ", "held by thread",
      "Take locks and queues in the same order everywhere"
    ) {
      try Things([.lock("dead.a"), .lock("dead.b")]).close()
      Trap.waitForIt()
    }
    Misuse("five threads wait for locks in a ring", reportsCycleOf: (0..<5).map { "dead.\($0)" }) {
      try Things((0..<5).map { .lock("dead.\($0)") }).close()
      Trap.waitForIt()
    }
    Misuse(
      "the report names a lock without a name by its address", reports: "the NSLock at 0x",
      "the NSLock \"dead.b\""
    ) {
      try Things([.lock(nil), .lock("dead.b")]).close()
      Trap.waitForIt()
    }
    // No thread ever hands either lock to one of these threads.
    Misuse("more threads wait for the locks of the cycle", reportsCycleOf: ["dead.a", "dead.b"]) {
      let things = Things([.lock("dead.a"), .lock("dead.b")])
      try things.close {
        for thing in things.all {
          for _ in 0..<3 { _ = try? PlainThread { thing.hold {} } }
        }
        for _ in 0..<3 { untilReported("waits for the NSLock \"dead.b\"") }
      }
      Trap.waitForIt()
    }
    // Threads that wake find the lock taken by another thread that was first, and sleep again.
    Misuse(
      "threads contend for the locks before the cycle closes",
      reportsCycleOf: ["dead.a", "dead.b", "dead.c"]
    ) {
      let things = Things([.lock("dead.a"), .lock("dead.b"), .lock("dead.c")])
      let done = Meeting(4)
      // Beside other programs each yield takes as long as they compute. Then there are fewer
      // rounds.
      let end = Uptime.now() + RealTime.wedge * 0.25
      for _ in 0..<4 {
        _ = try PlainThread {
          for _ in 0..<2000 where Uptime.now() < end {
            for thing in things.all { thing.hold { sched_yield() } }
          }
          done.meet()
          for thing in things.all { thing.hold {} }
        }
      }
      try things.close()
      Trap.waitForIt()
    }

    // MARK: Oneself

    Misuse(
      "a thread waits for a lock that it holds", reports: "deadlock: thread",
      "waits for the NSLock \"dead.own\"", "held by that thread itself", "Use a recursive lock"
    ) {
      let lock = NSLock()
      lock.name = "dead.own"
      lock.lock()
      lock.lock()
    }

    // MARK: Mixtures

    Misuse(
      "a lock and a queue form a cycle", reportsCycleOf: ["dead.lock", "dead.queue"],
      says: "waits in sync, for the queue \"dead.queue\"",
      "on the queue \"dead.queue\", waits for the NSLock \"dead.lock\""
    ) {
      try Things([.lock("dead.lock"), .queue("dead.queue")]).close()
      Trap.waitForIt()
    }
    Misuse(
      "locks and queues alternate in a cycle",
      reportsCycleOf: ["dead.0", "dead.1", "dead.2", "dead.3"]
    ) {
      try Things([.lock("dead.0"), .queue("dead.1"), .lock("dead.2"), .queue("dead.3")]).close()
      Trap.waitForIt()
    }
    Misuse(
      "locks of every kind form a cycle",
      reportsCycleOf: [
        "dead.lock", "dead.recursive", "dead.condition", "object", "dead.writer", "dead.queue",
      ]
    ) {
      try Things([
        .lock("dead.lock"), .recursiveLock("dead.recursive"), .condition("dead.condition"),
        .object(Gate()), .writer("dead.writer"), .queue("dead.queue"),
      ]).close()
      Trap.waitForIt()
    }
    Misuse("a barrier and a lock form a cycle", reportsCycleOf: ["dead.lock", "dead.readers"]) {
      try Things([.lock("dead.lock"), .barrier("dead.readers")]).close()
      Trap.waitForIt()
    }
    Misuse(
      "the item of a group wants the lock of the waiter", reports: "deadlock",
      "whose work is run by", "waits for the NSLock \"dead.lock\"",
      "holding the NSLock \"dead.lock\""
    ) {
      let thing = Thing.lock("dead.lock")
      thing.hold {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { thing.hold {} }
        group.wait()
      }
    }
    Misuse(
      "the body of a once wants the lock of a caller",
      reportsCycleOf: ["dead.lock", "DispatchOnce"]
    ) {
      let once = DispatchOnce()
      try Things([.lock("dead.lock"), Thing(name: "DispatchOnce") { once.perform($0) }]).close()
      Trap.waitForIt()
    }
    // Four threads take part, one of them in an item of the group.
    Misuse(
      "a lock, a queue, a group and another lock form a cycle",
      reportsCycleOf: ["dead.a", "dead.q", "a group", "dead.b"], says: "whose work is run by"
    ) {
      let (first, queue, last) = (Thing.lock("dead.a"), Thing.queue("dead.q"), Thing.lock("dead.b"))
      let meeting = Meeting(4)
      _ = try PlainThread {
        first.hold {
          meeting.meet()
          queue.hold {}
        }
      }
      _ = try PlainThread {
        let group = DispatchGroup()
        queue.hold {
          DispatchQueue.global().async(group: group) {
            meeting.meet()
            last.hold {}
          }
          meeting.meet()
          group.wait()
        }
      }
      last.hold {
        meeting.meet()
        first.hold {}
      }
    }

    // MARK: Workers

    Misuse("the items of queues wait for each other's locks", reportsCycleOf: ["dead.a", "dead.b"])
    {
      Things([.lock("dead.a"), .lock("dead.b")]).closeOnWorkers(.default)
      Trap.waitForIt()
    }
    // A worker of normal priority searches for the cycle.
    Misuse(
      "items of low priority wait for each other's locks", reportsCycleOf: ["dead.a", "dead.b"]
    ) {
      Things([.lock("dead.a"), .lock("dead.b")]).closeOnWorkers(.background)
      Trap.waitForIt()
    }
    // The signals arrive more often than the first moment of a worker's wait
    // lasts.
    Misuse(
      "signals interrupt the items that wait for each other's locks",
      reportsCycleOf: ["dead.a", "dead.b"]
    ) {
      signal(SIGUSR1) { _ in }
      let waiters = Guarded<[pthread_t]>([])
      Things([.lock("dead.a"), .lock("dead.b")]).closeOnWorkers(.default) {
        waiters.withValue { $0.append(pthread_self()) }
      }
      _ = try PlainThread {
        _ = waiters.wait(limit: RealTime.wedge) { $0.count == 2 }
        let both = waiters.current
        while true {
          for waiter in both { pthread_kill(waiter, SIGUSR1) }
          sched_yield()
        }
      }
      Trap.waitForIt()
    }

    // MARK: With locks checked

    Misuse(
      "the report shows where each thread took its lock", reportsCycleOf: ["dead.a", "dead.b"],
      says: "took the NSLock \"dead.a\" at", "took the NSLock \"dead.b\" at", "takesTheFirst",
      "takesTheSecond", "lock() -> ()"
    ) {
      LockOrderCheck.begin()
      let (a, b) = (Thing.lock("dead.a"), Thing.lock("dead.b"))
      let meeting = Meeting(2)
      _ = try PlainThread { takesTheFirst(a, b, meeting) }
      takesTheSecond(a, b, meeting)
    }
    Misuse(
      "the report shows where a thread took the lock that it wants again",
      reports: "held by that thread itself", "took the NSLock \"dead.own\" at", "takesTheFirst"
    ) {
      LockOrderCheck.begin()
      takesTheFirst(.lock("dead.own"), .lock("dead.other"), Meeting(1), twice: true)
    }
  }

  // MARK: Mixtures

  @Test func anObjectAndAGroupWhoseItemNeedsIt() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let thing = Thing.object(Gate())
      thing.hold {
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { thing.hold {} }
        group.wait()
      }
      Trap.notReached()
    }
    Trap.expectThings(result?.standardErrorContent, ["a group", "object"])
    Trap.expect(result?.standardErrorContent, says: "whose work is run by")
  }

  // MARK: A call-back

  /// Each cycle is reported once, and the rest of the program continues.
  @Test func aHandlerReceivesEachCycleOnce() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let told = Guarded<[String]>([])
      BlockedReport.onDeadlock { text in told.withValue { $0.append(text) } }
      LongWait.delay.store(0, ordering: .relaxed)
      try Things([.lock("dead.a"), .lock("dead.b")]).close()
      try Things([.lock("dead.c"), .queue("dead.d"), .lock("dead.e")]).close()
      guard told.wait(limit: RealTime.wedge, until: { $0.count >= 2 }) else { exit(2) }
      // They continue to search, and so does one that joins them.
      let lock = NSLock()
      lock.name = "dead.own"
      _ = try PlainThread {
        lock.lock()
        lock.lock()
      }
      guard told.wait(limit: RealTime.wedge, until: { $0.count >= 3 }) else { exit(3) }
      _ = try PlainThread { lock.lock() }
      letRealTimePass(RealTime.settling * 5)
      for text in told.current { StandardError.print(text) }
      exit(told.current.count == 3 ? EXIT_SUCCESS : 4)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "deadlock: thread").count - 1 == 3 || text.hasPrefix("deadlock"))
    for name in ["dead.a", "dead.b", "dead.c", "dead.d", "dead.e", "dead.own"] {
      #expect(text.contains("\"\(name)\""), "\(text)")
    }
  }

  // MARK: None

  /// In each of these a thread waits for a lock whose holder waits too, and yet it is
  /// no deadlock. Every wait looks around at once.
  @Test func aWaitThatAnotherThreadOrATimeoutEndsIsNotADeadlock() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      LongWait.delay.store(0, ordering: .relaxed)
      BlockedReport.onDeadlock { text in
        StandardError.print(text)
        exit(2)
      }
      let semaphore = DispatchSemaphore(value: 0)
      let (a, b) = (NSLock(), NSLock())
      let meeting = Meeting(2)
      // A semaphore that the one who waits for the lock would signal: anyone may.
      let waiter = try PlainThread {
        a.lock()
        meeting.meet()
        semaphore.wait()
        a.unlock()
      }
      meeting.meet()
      let other = try PlainThread {
        a.lock()
        a.unlock()
        semaphore.signal()
      }
      untilReported("waits for the NSLock")
      letRealTimePass(RealTime.settling)
      semaphore.signal()
      try waiter.join()
      try other.join()
      // A condition: anyone may signal it.
      let condition = NSCondition()
      let sleeper = try PlainThread {
        plainly { a.withLock { condition.withLock { condition.wait() } } }
      }
      untilReported("for a signal of")
      let seeker = try PlainThread {
        a.withLock {}
        condition.withLock { condition.broadcast() }
      }
      untilReported("waits for the NSLock")
      letRealTimePass(RealTime.settling)
      plainly { condition.withLock { condition.broadcast() } }
      try sleeper.join()
      try seeker.join()
      // A limit in the cycle: it ends by itself.
      let again = Meeting(2)
      let limited = try PlainThread {
        a.lock()
        again.meet()
        let limit = Date() + 0.001 * Double((RealTime.settling * 3).wholeNanoseconds / 1_000_000)
        if b.lock(before: limit) { b.unlock() }
        a.unlock()
      }
      b.withLock {
        again.meet()
        a.withLock {}
      }
      try limited.join()
      exit(EXIT_SUCCESS)
    }
  }

  // MARK: How soon

  /// The shapes of the textbooks; each prints how long it took.
  @Test(arguments: [
    LockDeadlockScenario.deadlockOfTwoLocks, .deadlockOfPhilosophers, .deadlockOfAMixture,
    .deadlockOfALockAQueueAndAJoin, .deadlockOfALockAndAGroup,
    .deadlockOfAnObjectAndAGroup,
    .deadlockOfTheMainThread,
  ])
  func aCycleIsReportedSoon(scenario: LockDeadlockScenario) throws {
    let outcome = try ChildProgram.run(
      scenario)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["report"]?.hasPrefix("deadlock: thread") == true)
    let isOfMain = outcome.facts["report"]?.contains("the main thread") == true
    #expect(isOfMain == (scenario == LockDeadlockScenario.deadlockOfTheMainThread))
    let time = try #require(outcome.facts["microseconds"].flatMap { Int64($0) })
    StandardError.print("\(scenario) was reported \(time) µs after it was closed")
    #expect(Duration.microseconds(time) < RealTime.wedge)
  }
}

@Suite("a deadlock in which a thread is joined")
struct JoinDeadlockTests {
  @Test func theReportNamesTheThreadThatIsJoined() throws {
    let outcome = try ChildProgram.run(
      LockDeadlockScenario.deadlockOfALockAQueueAndAJoin)
    let report = try #require(outcome.facts["report"])
    for words in [
      "waits for the end of", "\"joined\"", "which is thread",
      "the queue \"queue\"", "the NSLock \"first\"", "the NSLock \"last\"",
    ] { #expect(report.contains(words), "\(report)") }
  }
}

// MARK: Means

/// The body of an exit test is an asynchronous function, where locks are not to be
/// taken by hand; what it calls is none.
func plainly(_ body: () throws -> Void) rethrows { try body() }

@inline(never)
private func takesTheFirst(_ a: Thing, _ b: Thing, _ meeting: Meeting, twice: Bool = false) {
  a.hold {
    meeting.meet()
    (twice ? a : b).hold {}
  }
  Trap.notReached()
}

@inline(never)
private func takesTheSecond(_ a: Thing, _ b: Thing, _ meeting: Meeting) {
  b.hold {
    meeting.meet()
    a.hold {}
  }
  Trap.notReached()
}

/// Something that a thread holds while it runs a body, and that others wait for.
struct Thing: Sendable {
  let name: String
  let hold: @Sendable (_ body: () -> Void) -> Void

  static func lock(_ name: String?) -> Thing {
    let lock = NSLock()
    lock.name = name
    return Thing(name: lock.description) { lock.withLock($0) }
  }

  static func recursiveLock(_ name: String) -> Thing {
    let lock = NSRecursiveLock()
    lock.name = name
    return Thing(name: name) { body in lock.withLock { lock.withLock(body) } }
  }

  /// The lock that belongs to a condition.
  static func condition(_ name: String) -> Thing {
    let condition = NSCondition()
    condition.name = name
    return Thing(name: name) { condition.withLock($0) }
  }

  static func object(_ object: some AnyObject & Sendable) -> Thing {
    Thing(name: "object") { synchronized(object, $0) }
  }

  static func writer(_ name: String) -> Thing {
    let lock = ReadWriteLock()
    lock.name = name
    return Thing(name: name) { lock.withWriteLock($0) }
  }

  static func queue(_ label: String) -> Thing {
    let queue = DispatchQueue(label: label)
    return Thing(name: label) { queue.sync(execute: $0) }
  }

  static func barrier(_ label: String) -> Thing {
    let queue = DispatchQueue(label: label, attributes: .concurrent)
    return Thing(name: label) { queue.sync(flags: .barrier, execute: $0) }
  }
}

/// Things in a ring, each to be held by a thread that then wants the next.
struct Things: Sendable {
  let all: [Thing]

  init(_ all: [Thing]) { self.all = all }

  private func step(_ index: Int, _ meeting: Meeting, _ held: () -> Void) {
    all[index].hold {
      meeting.meet()
      held()
      all[(index + 1) % all.count].hold {}
    }
  }

  /// Starts a thread for each; they meet, the first one calls `held`, and then they
  /// wait for each other.
  func close(_ held: @escaping @Sendable () -> Void = {}) throws {
    let meeting = Meeting(all.count)
    for index in all.indices {
      _ = try PlainThread { step(index, meeting) { if index == 0 { held() } } }
    }
  }

  /// The same by items, each of which calls `held`.
  func closeOnWorkers(
    _ qos: DispatchQoS.QoSClass, _ held: @escaping @Sendable () -> Void = {}
  ) {
    let meeting = Meeting(all.count)
    for index in all.indices {
      DispatchQueue.global(qos: qos).async { step(index, meeting, held) }
    }
  }
}

extension Trap {
  /// Expects one message in which as many threads wait as there are names, and in it
  /// each name.
  static func expectThings(
    _ output: [UInt8]?, _ names: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: output ?? [], as: UTF8.self)
    expectMessage(in: text, ["deadlock: thread", "(kernel "] + names, sourceLocation)
    let waits = text.split(separator: " waits ", omittingEmptySubsequences: false).count - 1
    #expect(waits == names.count, "\(text)", sourceLocation: sourceLocation)
  }
}
