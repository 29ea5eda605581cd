// AsyncAfterTests — `asyncAfter`.

import SignalboxDispatch
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct AsyncAfterTests {
  enum Form: CaseIterable { case closure, item, wallClosure, wallItem }

  /// Submits the body in one of the forms, to run after `duration`.
  static func submit(
    _ form: Form, to queue: DispatchQueue, after duration: Duration,
    _ body: @escaping @Sendable () -> Void
  ) {
    switch form {
    case .closure: queue.asyncAfter(deadline: deadline(after: duration), execute: body)
    case .item:
      queue.asyncAfter(
        deadline: deadline(after: duration), execute: DispatchWorkItem(block: body))
    case .wallClosure:
      queue.asyncAfter(wallDeadline: wallDeadline(after: duration), execute: body)
    case .wallItem:
      queue.asyncAfter(
        wallDeadline: wallDeadline(after: duration), execute: DispatchWorkItem(block: body))
    }
  }

  static func wallNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  @Test func itemNeverRunsEarly() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let done = EventCounter("items")
      let early = EventLog<Int>()
      for milliseconds in [0, 1, 3, 10, 25] {
        let uptime = DispatchTime.now() + .milliseconds(milliseconds)
        queue.asyncAfter(deadline: uptime) {
          if Uptime.now().nanoseconds < uptime.uptimeNanoseconds { early.append(milliseconds) }
          done.increment()
        }
        let wall = Self.wallNanoseconds() + milliseconds * 1_000_000
        let time = timespec(tv_sec: wall / 1_000_000_000, tv_nsec: wall % 1_000_000_000)
        queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: time)) {
          if Self.wallNanoseconds() < wall { early.append(-milliseconds) }
          done.increment()
        }
      }
      try done.wait(for: 10)
      #expect(early.all.isEmpty)
    }
  }

  @Test func everyFormRunsOnceAndLater() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      try withEvery("form", in: Form.allCases) { form in
        let queue = kind.makeQueue()
        let begun = Uptime.now()
        let ran = EventLog<Uptime>()
        Self.submit(form, to: queue, after: .milliseconds(5)) { ran.append(Uptime.now()) }
        let times = try ran.wait(forCount: 1)
        // The wall clock may be slewed slightly against the uptime.
        #expect(times[0].since(begun) >= .microseconds(4950))
        queue.sync(flags: .barrier) {}
        #expect(ran.count == 1)
      }
    }
  }

  @Test func laterDeadlineRunsLater() throws {
    try withEvery("form", in: Form.allCases) { form in
      // A worker that is delayed with the due items it found may be overtaken by the next one.
      let isOrdered = try (0..<5).contains { _ in try Self.order(of: form) == [1, 2, 3, 4, 5] }
      #expect(isOrdered)
    }
  }

  private static func order(of form: Form) throws -> [Int] {
    let queue = DispatchQueue(label: "test.after.order")
    let log = EventLog<Int>()
    // All deadlines pass before the queue may run, so the test sees only the order of the items
    // and not the machine's delays.
    queue.suspend()
    // All deadlines count from one moment, however long submitting takes.
    let (start, wallStart) = (DispatchTime.now(), DispatchWallTime.now())
    for step in [5, 1, 4, 2, 3] {
      let delay = DispatchTimeInterval.nanoseconds(
        step * Int(RealTime.settling.wholeNanoseconds))
      let body: @Sendable () -> Void = { log.append(step) }
      switch form {
      case .closure: queue.asyncAfter(deadline: start + delay, execute: body)
      case .item:
        queue.asyncAfter(deadline: start + delay, execute: DispatchWorkItem(block: body))
      case .wallClosure: queue.asyncAfter(wallDeadline: wallStart + delay, execute: body)
      case .wallItem:
        queue.asyncAfter(wallDeadline: wallStart + delay, execute: DispatchWorkItem(block: body))
      }
    }
    letRealTimePass(RealTime.settling * 6)
    queue.resume()
    return try log.wait(forCount: 5)
  }

  @Test func pastDeadlineRunsSoon() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let done = EventCounter("items")
      queue.asyncAfter(deadline: .now() - .seconds(1)) { done.increment() }
      queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: 1)) { done.increment() }
      queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: 0)) { done.increment() }
      queue.asyncAfter(wallDeadline: .now() - .seconds(1)) { done.increment() }
      let past = timespec(tv_sec: 1, tv_nsec: 0)
      queue.asyncAfter(wallDeadline: DispatchWallTime(timespec: past)) { done.increment() }
      try done.wait(for: 5)
    }
  }

  enum Passed: CaseIterable { case now, before, longAgo, wallNow, wallBefore }

  @Test func pastDeadlineSubmitsBeforeTheCallReturns() throws {
    let queues = QueueKind.allCases.map { $0.makeQueue() }
    try withEvery("deadline", in: Passed.allCases) { passed in
      for isItem in [false, true] {
        for _ in 0..<1_000 {
          let queue = DispatchQueue(label: "test.after.passed")
          let log = EventLog<Int>()
          Self.submit(to: queue, at: passed, asItem: isItem) { log.append(1) }
          queue.async { log.append(2) }
          queue.sync {}
          #expect(log.all == [1, 2])
        }
        // A barrier waits for the items that were submitted before it.
        for (kind, queue) in zip(QueueKind.allCases, queues) where kind != .global {
          let ran = EventCounter("runs")
          Self.submit(to: queue, at: passed, asItem: isItem) { ran.increment() }
          queue.sync(flags: .barrier) {}
          #expect(ran.value == 1, "\(kind)")
        }
      }
    }
  }

  private static func submit(
    to queue: DispatchQueue, at passed: Passed, asItem isItem: Bool,
    _ body: @escaping @Sendable () -> Void
  ) {
    let item = DispatchWorkItem(block: body)
    switch (passed, isItem) {
    case (.now, false): queue.asyncAfter(deadline: .now(), execute: body)
    case (.now, true): queue.asyncAfter(deadline: .now(), execute: item)
    case (.before, false): queue.asyncAfter(deadline: .now() - 1, execute: body)
    case (.before, true): queue.asyncAfter(deadline: .now() - 1, execute: item)
    case (.longAgo, false):
      queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: 1), execute: body)
    case (.longAgo, true):
      queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: 1), execute: item)
    case (.wallNow, false): queue.asyncAfter(wallDeadline: .now(), execute: body)
    case (.wallNow, true): queue.asyncAfter(wallDeadline: .now(), execute: item)
    case (.wallBefore, false): queue.asyncAfter(wallDeadline: .now() - 60, execute: body)
    case (.wallBefore, true): queue.asyncAfter(wallDeadline: .now() - 60, execute: item)
    }
  }

  @Test func closureForTheDistantFutureIsFreedAtOnce() throws {
    let tracker = LeakTracker()
    weak var released: DispatchQueue?
    do {
      let queue = DispatchQueue(label: "test.never")
      released = queue
      func submit() {
        let object = tracker.makeObject()
        queue.asyncAfter(deadline: .distantFuture) { object.touch() }
        queue.asyncAfter(wallDeadline: .distantFuture) { object.touch() }
        queue.asyncAfter(deadline: .now() + .never) { object.touch() }
      }
      submit()
      #expect(tracker.made == 1 && tracker.alive == 0)
    }
    #expect(released == nil)
  }

  /// Cancelling it must still end it.
  @Test func workItemForTheDistantFutureIsKeptUntilItIsCancelled() {
    let tracker = LeakTracker()
    func make() -> DispatchWorkItem {
      let object = tracker.makeObject()
      return DispatchWorkItem { object.touch() }
    }
    let item = make()
    DispatchQueue(label: "test.never").asyncAfter(deadline: .distantFuture, execute: item)
    #expect(item.wait(timeout: .now()) == .timedOut)
    item.cancel()
    #expect(tracker.alive == 0)
    #expect(item.wait(timeout: .now()) == .success)
  }

  @Test func distantFutureDoesNotRun() throws {
    let queue = DispatchQueue(label: "test.never")
    let ran = EventCounter("runs")
    queue.asyncAfter(deadline: .distantFuture) { ran.increment() }
    queue.asyncAfter(wallDeadline: .distantFuture) { ran.increment() }
    queue.asyncAfter(deadline: .now() + .never) { ran.increment() }
    queue.asyncAfter(deadline: .now() + .seconds(.max)) { ran.increment() }
    queue.asyncAfter(deadline: .distantFuture, execute: DispatchWorkItem { ran.increment() })
    let later = EventCounter("later items")
    queue.asyncAfter(deadline: deadline(after: RealTime.settling)) { later.increment() }
    try later.wait(for: 1)
    #expect(ran.value == 0)
  }

  @Test func asyncAfterReturnsAtOnce() {
    let begun = Uptime.now()
    DispatchQueue(label: "test.at.once").asyncAfter(
      deadline: deadline(after: RealTime.life), execute: DispatchWorkItem {})
    #expect(Uptime.now().since(begun) < RealTime.wedge)
  }

  @Test func cancelledItemDoesNotRun() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      let ran = EventCounter("runs")
      let last = EventCounter("last")
      let item = DispatchWorkItem { ran.increment() }
      let wallItem = DispatchWorkItem { ran.increment() }
      let begun = Uptime.now()
      queue.asyncAfter(deadline: deadline(after: RealTime.delay), execute: item)
      queue.asyncAfter(wallDeadline: wallDeadline(after: RealTime.delay), execute: wallItem)
      item.cancel()
      wallItem.cancel()
      // An item that was due before its cancellation may have run.
      let isInTime = Uptime.now() < begun + RealTime.delay * 0.99
      queue.asyncAfter(deadline: deadline(after: RealTime.delay * 1.5)) { last.increment() }
      try last.wait(for: 1)
      if isInTime { #expect(ran.value == 0) }
      #expect(item.isCancelled && wallItem.isCancelled)
    }
  }

  /// Each of its timers is withdrawn, together with the queue that it holds, and the item has
  /// ended when `cancel` returns.
  @Test func itemWithSeveralDelaysIsCancelledCompletely() throws {
    weak var waitedFor: DispatchQueue?
    weak var captured: Payload?
    let item: DispatchWorkItem
    do {
      let queue = DispatchQueue(label: "test.cancel.several")
      waitedFor = queue
      let payload = Payload()
      captured = payload
      item = DispatchWorkItem { payload.touch() }
      for minutes in 1...5 {
        queue.asyncAfter(deadline: .now() + .seconds(60 * minutes), execute: item)
        queue.asyncAfter(wallDeadline: .now() + .seconds(60 * minutes), execute: item)
      }
    }
    #expect(captured != nil)
    #expect(waitedFor != nil)
    item.cancel()
    #expect(captured == nil)
    #expect(waitedFor == nil)
    #expect(item.wait(timeout: .now()) == .success)
  }

  private final class Payload: Sendable {
    func touch() {}
  }

  @Test func cancelRacesTheDeadlineWithoutHarm() throws {
    let queue = DispatchQueue(label: "test.cancel.race", attributes: .concurrent)
    let tracker = LeakTracker()
    let ran = EventCounter("runs")
    for round in 0..<200 {
      let object = tracker.makeObject()
      let item = DispatchWorkItem {
        object.touch()
        ran.increment()
      }
      queue.asyncAfter(deadline: .now() + .microseconds(round % 50), execute: item)
      if round % 3 != 0 { item.cancel() }
    }
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 200)
    #expect(ran.value >= 67 && ran.value <= 200)
  }

  @Test func capturesAreReleasedAfterTheRun() throws {
    let queue = DispatchQueue(label: "test.after.release")
    let tracker = LeakTracker()
    let ran = EventCounter("runs")
    for form in Form.allCases {
      let object = tracker.makeObject()
      Self.submit(form, to: queue, after: .milliseconds(2)) {
        object.touch()
        ran.increment()
      }
    }
    try ran.wait(for: 4)
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 4)
  }

  @Test func itemOfADroppedQueueRunsAtItsDeadline() throws {
    let ran = EventCounter("runs")
    for form in Form.allCases {
      Self.submit(form, to: DispatchQueue(label: "test.dropped"), after: .milliseconds(5)) {
        ran.increment()
      }
    }
    try ran.wait(for: 4)
  }

  @Test func everyQoSAndFlagRunsOnce() throws {
    let queue = DispatchQueue(label: "test.after.qos", attributes: .concurrent)
    let ran = EventCounter("runs")
    var submitted = 0
    for qos in everyQoS {
      for flags in everyFlags {
        queue.asyncAfter(deadline: .now(), qos: qos, flags: flags) { ran.increment() }
        queue.asyncAfter(wallDeadline: .now(), qos: qos, flags: flags) { ran.increment() }
        queue.asyncAfter(
          deadline: .now(), execute: DispatchWorkItem(qos: qos, flags: flags) { ran.increment() })
        queue.asyncAfter(
          wallDeadline: .now(),
          execute: DispatchWorkItem(qos: qos, flags: flags) { ran.increment() })
        submitted += 4
      }
    }
    try ran.wait(for: submitted)
    queue.sync(flags: .barrier) {}
    #expect(ran.value == submitted)
  }

  @Test func manyDeadlinesAtOnceAllRun() throws {
    var generator = SeededGenerator.announced()
    let queue = DispatchQueue(label: "test.after.many", attributes: .concurrent)
    let ran = EventCounter("runs")
    let early = EventCounter("early runs")
    for _ in 0..<2000 {
      let time = DispatchTime.now() + .microseconds(Int.random(in: 0..<20_000, using: &generator))
      queue.asyncAfter(deadline: time) {
        if DispatchTime.now() < time { early.increment() }
        ran.increment()
      }
    }
    try ran.wait(for: 2000)
    #expect(early.value == 0)
  }
}
