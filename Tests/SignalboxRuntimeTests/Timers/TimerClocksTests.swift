// TimerClocksTests — how often the kernel's timer is set, and how often a thread wakes, on clocks
// that the test moves.

@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Timer clocks") struct TimerClocksTests {
  private static func make(
    _ deadline: UInt64, leeway: UInt64 = 0, _ clock: Clock = .uptime
  ) -> TimerPointer {
    let timer = TimerPointer.allocate(capacity: 1)
    timer.initialize(to: TimerNode(Deadline(clock, deadline), leeway: leeway) { _ in })
    return timer
  }

  /// Sleeps from wake-up to wake-up until no timers are left.
  private static func run(
    _ clocks: inout TimerClocks, _ kernel: PlayedKernel, _ clock: Clock = .uptime,
    _ fired: (TimerPointer, UInt64) -> Void
  ) -> Int {
    var wakeUps = 0
    while !clocks.isEmpty {
      guard let next = kernel.setting(of: clock) else {
        Issue.record("timers are pending, and the kernel is set to nothing")
        return wakeUps
      }
      kernel.move(clock, to: next)
      wakeUps += 1
      clocks.hasExpired(clock)
      var due: [DueTimer] = []
      clocks.collect(into: &due, kernel)
      for each in due { fired(each.timer, next) }
    }
    return wakeUps
  }

  /// Returns the least number of moments such that each timer's span contains one: always the
  /// latest moment of the least patient timer among those that have none.
  private static func fewestWakeUps(_ spans: [(from: UInt64, to: UInt64)]) -> Int {
    var count = 0
    var last: UInt64 = 0
    for span in spans.sorted(by: { $0.to < $1.to }) where span.from > last {
      last = span.to
      count += 1
    }
    return count
  }

  @Test func aRandomScheduleNeedsTheFewestWakeUpsThereCanBe() {
    var random = SeededGenerator.announced()
    for leeway: UInt64 in [0, 10, 1_000, 100_000] {
      let kernel = PlayedKernel()
      var clocks = TimerClocks()
      let spans = (0..<500).map { _ in
        let from = UInt64.random(in: 2_000..<100_000, using: &random)
        return (from: from, to: from + UInt64.random(in: 0...leeway, using: &random))
      }
      let timers = spans.map { Self.make($0.from, leeway: $0.to - $0.from) }
      for timer in timers { clocks.insert(timer, kernel) }
      var fired = 0
      let wakeUps = Self.run(&clocks, kernel) { timer, now in
        fired += 1
        #expect(timer.pointee.deadline <= now && now <= timer.pointee.latest)
      }
      #expect(fired == timers.count)
      #expect(wakeUps == Self.fewestWakeUps(spans), "with leeway up to \(leeway)")
      timers.forEach { $0.deallocate() }
    }
  }

  @Test func theKernelIsSetOnlyForWhatIsDueBeforeAllElse() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let timers = [5_000, 9_000, 6_000, 7_000, 4_000, 8_000].map { Self.make($0) }
    for timer in timers { clocks.insert(timer, kernel) }
    #expect(kernel.sets == 2)
    #expect(kernel.setting(of: .uptime) == 4_000)
    timers.forEach { $0.deallocate() }
  }

  @Test func aTimerThatIsDueLaterAndCanWaitLessIsTheOneToWakeFor() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let patient = Self.make(2_000, leeway: 50_000), strict = Self.make(10_000)
    clocks.insert(patient, kernel)
    clocks.insert(strict, kernel)
    var order: [TimerPointer] = []
    let wakeUps = Self.run(&clocks, kernel) { timer, _ in order.append(timer) }
    #expect(wakeUps == 1)
    #expect(order == [strict, patient])
    for timer in [patient, strict] { timer.deallocate() }
  }

  /// Resetting the kernel's timer costs more than one unnecessary wake-up.
  @Test func aFirstTimerThatIsCancelledLeavesOneWakeUpForNothing() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let first = Self.make(2_000), second = Self.make(3_000)
    clocks.insert(first, kernel)
    clocks.insert(second, kernel)
    let removals = [clocks.remove(first), clocks.remove(first)]
    #expect(removals == [true, false])
    #expect(kernel.sets == 1)
    var fired: [TimerPointer] = []
    let wakeUps = Self.run(&clocks, kernel) { timer, _ in fired.append(timer) }
    #expect(wakeUps == 2 && fired == [second])
    for timer in [first, second] { timer.deallocate() }
  }

  @Test func eachClockHasItsOwnTimers() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let all: [Clock] = [.uptime, .wall, .continuous]
    let timers = all.map { Self.make(2_000, $0) }
    for timer in timers { clocks.insert(timer, kernel) }
    for (index, clock) in all.enumerated() {
      kernel.move(clock, to: 2_000)
      var due: [DueTimer] = []
      clocks.collect(into: &due, kernel)
      #expect(due.map(\.timer) == [timers[index]])
    }
    #expect(clocks.isEmpty)
    timers.forEach { $0.deallocate() }
  }

  /// The kernel's timer has expired by then and would not expire a second time.
  @Test func aClockThatIsSetBackAfterItWokeUsWakesUsAgain() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let timer = Self.make(5_000, .wall)
    clocks.insert(timer, kernel)
    kernel.move(.wall, to: 5_000)
    kernel.move(.wall, to: 3_000)
    var due: [DueTimer] = []
    clocks.hasExpired(.wall)
    clocks.collect(into: &due, kernel)
    #expect(due.isEmpty)
    #expect(kernel.setting(of: .wall) == 5_000)
    kernel.move(.wall, to: 5_000)
    clocks.hasExpired(.wall)
    clocks.collect(into: &due, kernel)
    #expect(due.map(\.timer) == [timer])
    timer.deallocate()
  }
}
