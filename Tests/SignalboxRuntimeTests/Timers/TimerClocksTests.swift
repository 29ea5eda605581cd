// TimerClocksTests — how often the kernel's timer is set, and how often a thread wakes, on clocks
// that the test moves.

@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Timer clocks") struct TimerClocksTests {
  private static func make(
    _ deadline: UInt64, leeway: UInt64 = 0, _ clock: Clock = .uptime
  ) -> TimerPointer {
    make(deadline, .given(leeway), clock)
  }

  private static func make(
    _ deadline: UInt64, _ leeway: TimerNode.Leeway, _ clock: Clock = .uptime
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

  @Test func aRandomScheduleNeedsTheFewestPossibleWakeUps() {
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

  @Test func theKernelTimerIsSetOnlyForTheEarliestTimer() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let timers = [5_000, 9_000, 6_000, 7_000, 4_000, 8_000].map { Self.make($0) }
    for timer in timers { clocks.insert(timer, kernel) }
    #expect(kernel.sets == 2)
    #expect(kernel.setting(of: .uptime) == 4_000)
    timers.forEach { $0.deallocate() }
  }

  @Test func aLaterTimerThatCanWaitLessDeterminesTheWakeUp() {
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
  @Test func cancellingTheFirstTimerLeavesOneUselessWakeUp() {
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

  // MARK: The usual leeway

  /// How late timers are that were set at time 0 with the usual leeway, at most and in the median,
  /// and how often the driver wakes.
  private static func lateness(
    of deadlines: [UInt64]
  ) -> (most: UInt64, median: UInt64, wakeUps: Int) {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let timers = deadlines.map { Self.make($0, .usual(from: 0)) }
    for timer in timers { clocks.insert(timer, kernel) }
    var late: [UInt64] = []
    let wakeUps = Self.run(&clocks, kernel) { timer, now in
      late.append(now - timer.pointee.deadline)
      #expect(now >= timer.pointee.deadline)
    }
    timers.forEach { $0.deallocate() }
    late.sort()
    return (late.last!, late[late.count / 2], wakeUps)
  }

  @Test func theUsualLeewayIsAHundredthOfTheDelayAndAtMostAMillisecond() {
    for clock in [Clock.uptime, .wall, .continuous] {
      let now = clock.now
      func leeway(_ delay: UInt64) -> UInt64 {
        let deadline = Deadline(clock, now + delay)
        let timer = TimerNode(deadline, leeway: .usual(until: deadline), { _ in })
        return timer.latest - timer.deadline
      }
      #expect(leeway(0) == 0)
      #expect(leeway(50_000_000) <= 500_000)
      #expect(leeway(3_600_000_000_000) == 1_000_000)
    }
  }

  @Test func aFewTimersWithTheUsualLeewayFireWhenTheyAreDue() {
    // A microsecond apart, each within the leeway of the one before.
    let deadlines = (0..<40).map { 1_000_000_000 + UInt64($0) * 1_000 }
    let found = Self.lateness(of: deadlines)
    #expect(found.most == 0 && found.wakeUps == 40)
  }

  @Test func timersWhoseLeewaySavesNoWakeUpFireWhenTheyAreDue() {
    // The leeway is a millisecond for each of them, and so they share none.
    let deadlines = (1...5_000).map { 100_000_000 + UInt64($0) * 1_000_001 }
    let found = Self.lateness(of: deadlines)
    #expect(found.most == 0 && found.wakeUps == 5_000)
  }

  @Test func aBurstWithTheUsualLeewayWakesAsOftenAsTheBudgetAllows() {
    let seconds: UInt64 = 2
    let deadlines = (0..<(seconds * 100_000)).map { 1_000_000_000 + $0 * 10_000 }
    let found = Self.lateness(of: deadlines)
    #expect(found.most <= 1_000_000)
    // One for each millisecond, which is the leeway; and what a hundredth of a processor pays for,
    // with the budget of the window before.
    let paid = (seconds * 1_000_000_000 + WakeUpBudget.window) / WakeUpBudget.spacing
    #expect(found.wakeUps <= Int(seconds * 1_000 + paid) + 1)
    #expect(found.wakeUps > Int(paid))
  }

  /// What is unspent is spread over the burst, and is not gone after its first milliseconds.
  @Test func aBurstAfterAQuietSecondIsHardlyLate() {
    let deadlines = (0..<10_000).map { 2_000_000_000 + UInt64($0) * 10_000 }
    let found = Self.lateness(of: deadlines)
    #expect(found.median <= 150_000)
    // Ten for each millisecond would be a tenth of a processor.
    let budget = WakeUpBudget.window / WakeUpBudget.spacing
    #expect(found.wakeUps <= 100 + Int(budget) + 50 + 1)
  }

  @Test func aTimerWithoutLeewayIsNotDelayedByOneWithTheUsualLeeway() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let deadlines = (0..<10_000).map { 1_000_000_000 + UInt64($0) * 10_000 }
    let usual = deadlines.map { Self.make($0, .usual(from: 0)) }
    let strict = deadlines.map { Self.make($0 + 3_000) }
    for timer in usual + strict { clocks.insert(timer, kernel) }
    var late = 0
    _ = Self.run(&clocks, kernel) { timer, now in
      late += !timer.pointee.hasUsualLeeway && now > timer.pointee.deadline ? 1 : 0
    }
    #expect(late == 0)
    (usual + strict).forEach { $0.deallocate() }
  }

  /// Only wake-ups that no other timer needed are paid for.
  @Test func wakeUpsThatATimerWithoutLeewayNeedsCostTheUsualLeewayNothing() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    let strict = (0..<10_000).map { Self.make(1_000_000_000 + UInt64($0) * 10_000) }
    let usual = Self.make(1_100_005_000, .usual(from: 0))
    for timer in strict + [usual] { clocks.insert(timer, kernel) }
    var firedAt: UInt64 = 0
    _ = Self.run(&clocks, kernel) { timer, now in if timer == usual { firedAt = now } }
    #expect(firedAt == 1_100_005_000)
    (strict + [usual]).forEach { $0.deallocate() }
  }

  /// A clock that is set back by an hour must not make timers wait for that hour.
  @Test func aClockThatIsSetBackLeavesNoDebt() {
    let kernel = PlayedKernel()
    var clocks = TimerClocks()
    func fire(from start: UInt64, count: UInt64) -> UInt64 {
      let timers = (0..<count).map { Self.make(start + $0 * 10_000, .usual(from: 0), .wall) }
      for timer in timers { clocks.insert(timer, kernel) }
      var last: UInt64 = 0
      _ = Self.run(&clocks, kernel, .wall) { timer, now in last = now - timer.pointee.deadline }
      timers.forEach { $0.deallocate() }
      return last
    }
    let hour: UInt64 = 3_600_000_000_000
    _ = fire(from: 2 * hour, count: 100_000)
    kernel.move(.wall, to: hour)
    _ = fire(from: hour + 10_000, count: 1)
    #expect(fire(from: hour + 10_000_000, count: 1) == 0)
  }
}
