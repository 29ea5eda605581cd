// ReportSentencesTests — the sentences of a report, each for none, one and several of what it counts.

import Testing

@testable import SignalboxDiagnostics

@Suite struct ReportSentencesTests {
  @Test(arguments: [
    (0, 0, false, "has 0 operations, none of which has begun"),
    (1, 0, false, "has 1 operation, which has not begun"),
    (1, 1, true, "has 1 operation, which has begun; it is suspended"),
    (2, 0, true, "has 2 operations, none of which has begun; it is suspended"),
    (2, 1, false, "has 2 operations, 1 of which has begun"),
    (3, 2, false, "has 3 operations, 2 of which have begun"),
  ])
  func operationQueues(_ count: Int, _ running: Int, _ isSuspended: Bool, _ words: String) {
    let queue = SignalboxReport.OperationQueue(
      name: "prints", count: count, running: running, isSuspended: isSuspended, operations: [])
    let lines = queue.lines
    #expect(lines.first == "the operation queue \"prints\" \(words)")
    let more = count == 1 ? "and 1 more operation" : "and \(count) more operations"
    #expect(lines.dropFirst() == (count == 0 ? [] : [more]))
  }

  @Test(arguments: [
    (SignalboxReport.Operation.State.waiting, false, [], 0, "waits"),
    (.waiting, false, [], 1, "waits for 1 operation"),
    (.waiting, false, ["the operation \"a\""], 1, "waits for the operation \"a\""),
    (.waiting, true, ["a", "b"], 2, "waits for a, b"),
    (.waiting, true, ["a", "b"], 5, "waits for a, b and 3 more"),
    (.ready, false, [], 0, "is ready, and waits for its turn"),
    (.running, true, [], 0, "runs"),
    (.inFlight, false, [], 0, "has begun and is not finished"),
  ])
  func operations(
    _ state: SignalboxReport.Operation.State, _ isCancelled: Bool, _ waitsFor: [String],
    _ unfinished: Int,
    _ words: String
  ) {
    let operation = SignalboxReport.Operation(
      title: "the operation \"print\"", state: state, isCancelled: isCancelled,
      unfinished: unfinished, waitsFor: waitsFor)
    let cancelled = isCancelled ? ", which was cancelled," : ""
    #expect(operation.words == "the operation \"print\"\(cancelled) \(words)")
  }

  @Test(arguments: [
    (ListDepth.unknown, 0, "is served too fast for its items to be counted; it waits to be served"),
    (.exactly(0), 1, "holds no item; 1 item runs on it"),
    (.exactly(1), 0, "holds 1 item; it waits to be served"),
    (.exactly(2), 2, "holds 2 items; 2 items run on it"),
    (.atLeast(1), 0, "holds at least 1 item; it waits to be served"),
    (.atLeast(10_000), 0, "holds at least 10000 items; it waits to be served"),
  ])
  func queues(_ depth: ListDepth, _ running: Int, _ words: String) {
    for (target, upon) in [(nil, ""), ("below", ", with the target \"below\"")]
      as [(String?, String)]
    {
      let queue = SignalboxReport.Queue(
        label: "db", kind: .concurrent, target: target, depth: depth, oldest: nil, owner: 0,
        running: running, isSuspended: false, isInactive: false)
      let expected = "the queue \"db\" (concurrent\(upon)) \(words)"
      #expect(queue.words == expected)
    }
  }

  @Test func aQueueThatStartsNothing() {
    let queue = SignalboxReport.Queue(
      label: "", kind: .serial, target: nil, depth: .exactly(1), oldest: 21_000_000, owner: 0,
      running: 0, isSuspended: true, isInactive: true)
    #expect(
      queue.words
        == "the queue \"\" (serial) holds 1 item, the oldest for 21 ms or longer; it is inactive; "
        + "it is suspended")
  }

  @Test(arguments: [
    (0, nil, 0, "none of its workers runs (2 may), no queue waits for a worker"),
    (0, 1, 1, "none of 1 worker runs (2 may), 1 queue waits for a worker"),
    (1, 1, 0, "1 of 1 worker runs (2 may), no queue waits for a worker"),
    (1, 2, 1, "1 of 2 workers runs (2 may), 1 queue waits for a worker"),
    (2, 3, 4, "2 of 3 workers run (2 may), 4 queues wait for a worker"),
  ])
  func pools(_ running: Int, _ workers: Int?, _ pending: Int, _ words: String) {
    let pool = SignalboxReport.Pool(
      name: "utility", width: 2, workers: workers, running: running, pending: pending)
    #expect(pool.words == "the pool of utility priority: \(words)")
  }

  @Test(arguments: [
    (
      5_000_000_000, 0, SignalboxReport.Timer.Purpose.item, "ui" as String?,
      "is due in 5 s, for an item on the queue \"ui\""
    ),
    (0, 0, .sleep, nil, "is due in 0 ns, for the sleep of a task"),
    (-3_000_000, 0, .other, nil, "was due 3 ms ago, for something else"),
    (
      -3_000_000, 10_000_000_000, .source, "poll",
      "was due 3 ms ago and repeats every 10 s, for a timer source on the queue \"poll\""
    ),
  ])
  func timers(
    _ due: Int64, _ interval: UInt64, _ purpose: SignalboxReport.Timer.Purpose, _ queue: String?,
    _ words: String
  ) {
    let timer = SignalboxReport.Timer(
      dueIn: due, leeway: 0, interval: interval, clock: .uptime, purpose: purpose, queue: queue)
    #expect(timer.words == "a timer \(words)")
  }

  @Test(arguments: [
    (nil as String?, 0, true, nil as String?, nil as Int64?, 0, "does not run"),
    (nil, 0, true, nil, nil, 1, "does not run; 1 block waits"),
    ("common", 1, true, nil, nil, 2, "sleeps in the mode \"common\"; 2 blocks wait"),
    ("common", 1, true, nil, 0, 0, "sleeps in the mode \"common\", its next timer is due now"),
    (
      "common", 2, false, "9 a timer fires", 4_000_000, 0,
      "is awake in the mode \"common\", in 2 nested runs, at step 9: a timer fires, its next timer "
        + "is due in 4 ms"
    ),
  ])
  func runLoops(
    _ mode: String?, _ depth: Int, _ isAsleep: Bool, _ step: String?, _ next: Int64?, _ blocks: Int,
    _ words: String
  ) {
    let loop = SignalboxReport.RunLoop(
      thread: 0, isMain: true, mode: mode, depth: depth, isAsleep: isAsleep, step: step, timers: 0,
      nextTimer: next, blocks: blocks)
    #expect(loop.words == "the main run loop \(words)")
  }
}
