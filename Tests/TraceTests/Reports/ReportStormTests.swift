// ReportStormTests — queues are made, used and freed while reports describe them.

import SignalboxDispatch
import SignalboxTestSupport
import SignalboxTrace
import Synchronization
import Testing

@Suite(.guarded) struct ReportStormTests {
  /// A report looks at queues that it does not retain, and at items that run and are freed at
  /// the same time. Nothing is lost, and everything is freed.
  @Test func queuesAreCreatedAndFreedDuringReports() throws {
    var random = SeededGenerator.announced()
    let seeds = (0..<3).map { _ in random.split() }
    let isOver = Atomic<Bool>(false)
    let (reports, seen, most) = (Guarded(0), Guarded(0), Guarded(0))
    let reporter = try PlainThread {
      while !isOver.load(ordering: .relaxed) {
        let report = SignalboxReport.now
        let mine = report.queues.filter { $0.label.hasPrefix("storm.") }
        // The counted items existed: none of these lists is as long.
        most.withValue { $0 = max($0, mine.compactMap(\.count).max() ?? 0) }
        if !mine.isEmpty { seen.withValue { $0 += 1 } }
        _ = report.json
        reports.withValue { $0 += 1 }
      }
    }
    let tracker = LeakTracker()
    let ran = EventCounter()
    let submitted = EventCounter()
    // A report takes as long as the process is large: on a busy machine there are fewer. At least
    // one report must show such a queue.
    let end = Uptime.now() + RealTime.wedge
    try runThreads(seeds.count) { index in
      var random = seeds[index]
      while seen.current == 0
        || (reports.current < 60 || seen.current < 20) && Uptime.now() < end
      {
        // No more than the pool can run, because a report grows with the number of queues.
        try ran.wait(for: submitted.value - 5000)
        use(storm(&random), tracker, submitted, ran, &random)
      }
    }
    isOver.store(true, ordering: .relaxed)
    try reporter.join()
    #expect(most.current <= 110)
    try ran.wait(for: submitted.value)
    try tracker.waitUntilAllAreFreed()
    for label in ["storm.serial", "storm.concurrent", "storm.workloop", "storm.upon"] {
      try waitUntilGone(label)
    }
  }

  private func storm(_ random: inout SeededGenerator) -> DispatchQueue {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return DispatchQueue(label: "storm.concurrent", attributes: .concurrent)
    case 1: return DispatchWorkloop(label: "storm.workloop")
    case 2:
      let queue = DispatchQueue(label: "storm.upon", attributes: .initiallyInactive)
      queue.setTarget(queue: DispatchQueue(label: "storm.serial"))
      queue.activate()
      return queue
    case 3:
      var bottom = DispatchQueue(label: "storm.serial")
      for _ in 0..<10 { bottom = DispatchQueue(label: "storm.upon", target: bottom) }
      return bottom
    default: return DispatchQueue(label: "storm.serial")
    }
  }

  private func use(
    _ queue: DispatchQueue, _ tracker: LeakTracker, _ submitted: EventCounter, _ ran: EventCounter,
    _ random: inout SeededGenerator
  ) {
    let isHalted = Int.random(in: 0..<4, using: &random) == 0
    if isHalted { queue.suspend() }
    for _ in 0..<Int.random(in: 0..<100, using: &random) {
      let object = tracker.makeObject()
      submitted.increment()
      queue.async {
        object.touch()
        ran.increment()
      }
    }
    if isHalted { queue.resume() }
    if Bool.random(using: &random) { queue.sync {} }
  }
}
