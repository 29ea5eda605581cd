// TimerSourceTests — timers: when they fire, how often, and what they count.

import SignalboxDispatch
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct TimerSourceTests {
  /// Makes an unscheduled timer whose handler logs the data that it receives.
  static func makeTimer(
    flags: DispatchSource.TimerFlags = [],
    on queue: DispatchQueue = DispatchQueue(label: "test.timer"),
    _ fires: EventLog<Fire>
  ) -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(flags: flags, queue: queue)
    let shared = Shared(timer)
    timer.setEventHandler {
      // The time is read last, so the counted firings were due by then.
      let data = shared.value.data
      fires.append(Fire(uptime: Uptime.now(), wall: Self.wallNanoseconds(), count: Int(data)))
    }
    return timer
  }

  struct Fire: Sendable {
    var uptime: Uptime
    var wall: Int
    var count: Int
  }

  static func wallNanoseconds() -> Int { AsyncAfterTests.wallNanoseconds() }

  // MARK: One-shot

  enum Clock: CaseIterable { case uptime, wall }

  @Test func oneShotTimerFiresOnceAndNeverEarly() throws {
    let flags: [DispatchSource.TimerFlags] = [[], .strict]
    let leeways: [DispatchTimeInterval] = [
      .nanoseconds(0), .nanoseconds(1), .milliseconds(5), .milliseconds(30),
    ]
    try withEvery("clock", in: Clock.allCases) { clock in
      try withEvery("flags", in: flags) { flags in
        try withEvery("leeway", in: leeways) { leeway in
          let fires = EventLog<Fire>()
          let timer = Self.makeTimer(flags: flags, fires)
          let delay = 5_000_000
          let due = DispatchTime.now() + .nanoseconds(delay)
          let wallDue = Self.wallNanoseconds() + delay
          switch clock {
          case .uptime: timer.schedule(deadline: due, leeway: leeway)
          case .wall: timer.schedule(wallDeadline: Self.wall(wallDue), leeway: leeway)
          }
          timer.resume()
          let fire = try fires.wait(forCount: 1)[0]
          switch clock {
          case .uptime: #expect(fire.uptime.nanoseconds >= due.uptimeNanoseconds)
          case .wall: #expect(fire.wall >= wallDue)
          }
          #expect(fire.count == 1)
          letRealTimePass(.milliseconds(10))
          #expect(fires.count == 1)
          try end(timer)
        }
      }
    }
  }

  static func wall(_ nanoseconds: Int) -> DispatchWallTime {
    DispatchWallTime(
      timespec: timespec(
        tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000))
  }

  @Test func deadlineThatIsOverFiresSoon() throws {
    let deadlines: [DispatchTime] = [
      .now(), .now() - .seconds(1), DispatchTime(uptimeNanoseconds: 1),
      DispatchTime(uptimeNanoseconds: 0),
    ]
    try withEvery("deadline", in: deadlines.indices) { index in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      timer.schedule(deadline: deadlines[index])
      timer.resume()
      try fires.wait(forCount: 1)
      try end(timer)
    }
    let wallDeadlines: [DispatchWallTime] = [
      .now(), .now() - .seconds(1), Self.wall(1_000_000_000),
    ]
    try withEvery("wall deadline", in: wallDeadlines.indices) { index in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      timer.schedule(wallDeadline: wallDeadlines[index])
      timer.resume()
      try fires.wait(forCount: 1)
      try end(timer)
    }
  }

  @Test func distantFutureAndNoScheduleNeverFire() throws {
    let fires = EventLog<Fire>()
    let timers = (0..<6).map { _ in Self.makeTimer(fires) }
    timers[0].schedule(deadline: .distantFuture)
    timers[1].schedule(wallDeadline: .distantFuture)
    timers[2].schedule(deadline: .distantFuture, repeating: .milliseconds(1))
    timers[3].schedule(deadline: .now() + .never)
    timers[4].schedule(deadline: .now() + .seconds(.max))
    // The last timer is not scheduled.
    for timer in timers { timer.resume() }
    letRealTimePass(RealTime.settling)
    #expect(fires.count == 0)
    for timer in timers { try end(timer) }
  }

  @Test func intervalOfNeverIsAOneShot() throws {
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(fires)
    timer.schedule(deadline: .now(), repeating: .never)
    timer.resume()
    try fires.wait(forCount: 1)
    letRealTimePass(RealTime.settling)
    #expect(fires.count == 1)
    try end(timer)
  }

  @Test func everyOfManyTimersFiresOnce() throws {
    let fires = EventCounter("fires")
    let queue = DispatchQueue(label: "test.many", attributes: .concurrent)
    let counts = (0..<3_000).map { _ in EventCounter("fires of one") }
    let early = EventCounter("early fires")
    let timers = counts.enumerated().map { number, count in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      let due = DispatchTime.now() + .microseconds(number * 7_919 % 50_000)
      timer.setEventHandler {
        if DispatchTime.now() < due { early.increment() }
        count.increment()
        fires.increment()
      }
      timer.schedule(deadline: due)
      timer.resume()
      return timer
    }
    try fires.wait(for: timers.count)
    letRealTimePass(RealTime.settling)
    #expect(counts.allSatisfy { $0.value == 1 })
    #expect(early.value == 0)
    for timer in timers { timer.cancel() }
  }

  // MARK: Repeating

  /// The form of the interval, and the clock.
  enum Repetition: CaseIterable {
    case interval, seconds, wallInterval, wallSeconds
  }

  static func schedule(
    _ timer: any DispatchSourceTimer, _ repetition: Repetition, after delay: Int, every step: Int
  ) {
    let seconds = Double(step) / 1e9
    switch repetition {
    case .interval:
      timer.schedule(deadline: .now() + .nanoseconds(delay), repeating: .nanoseconds(step))
    case .seconds:
      timer.schedule(deadline: .now() + .nanoseconds(delay), repeating: seconds)
    case .wallInterval:
      timer.schedule(wallDeadline: .now() + .nanoseconds(delay), repeating: .nanoseconds(step))
    case .wallSeconds:
      timer.schedule(wallDeadline: .now() + .nanoseconds(delay), repeating: seconds)
    }
  }

  @Test func repeatingTimerNeverCountsFiresThatAreNotDue() throws {
    let step = 2_000_000
    try withEvery("repetition", in: Repetition.allCases) { repetition in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      let start = Uptime.now()
      Self.schedule(timer, repetition, after: step, every: step)
      timer.resume()
      let all = try fires.wait(forCount: 10)
      var counted = 0
      for fire in all {
        #expect(fire.count >= 1)
        counted += fire.count
        // The wall clock may be slewed slightly against the uptime.
        let passed = Double(fire.uptime.since(start).wholeNanoseconds) * 1.001
        #expect(counted * step <= Int(passed) + 10_000)
      }
      try end(timer)
    }
  }

  /// A timer of one nanosecond would keep a processor busy.
  @Test func intervalOfZeroCountsAsAMillisecond() throws {
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(fires)
    let start = Uptime.now()
    timer.schedule(deadline: .now(), repeating: .nanoseconds(0))
    timer.resume()
    var counted = 0
    for fire in try fires.wait(forCount: 5) {
      counted += fire.count
      #expect((counted - 1) * 1_000_000 <= Int(fire.uptime.since(start).wholeNanoseconds))
    }
    try end(timer)
  }

  /// The handler is slow: firings that fall due in between are reported together.
  @Test func missedFiresAreCounted() throws {
    let step = 1_000_000
    try withEvery("repetition", in: Repetition.allCases) { repetition in
      let queue = DispatchQueue(label: "test.slow")
      let counts = EventLog<Int>()
      let timer = DispatchSource.makeTimerSource(queue: queue)
      let shared = Shared(timer)
      let isFirst = Gate("first fire")
      let gate = Gate()
      timer.setEventHandler {
        counts.append(Int(shared.value.data))
        isFirst.open()
        gate.pass()
      }
      Self.schedule(timer, repetition, after: 0, every: step)
      timer.resume()
      try isFirst.wait()
      letRealTimePass(.nanoseconds(20 * step))
      gate.open()
      // Firings that were in progress when the handler began, and when it ended, are reported
      // separately; all others are reported together.
      let counted = try counts.wait(forCount: 5)
      #expect(counted[1...4].reduce(0, +) >= 15)
      try end(timer)
    }
  }

  @Test func firesOfASuspendedTimerAreCounted() throws {
    let step = 1_000_000
    try withEvery("repetition", in: Repetition.allCases) { repetition in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      timer.resume()
      timer.suspend()
      Self.schedule(timer, repetition, after: 0, every: step)
      letRealTimePass(.nanoseconds(20 * step))
      #expect(fires.count == 0)
      timer.resume()
      // Some firings may have been in progress when the timer was resumed; they are reported
      // separately.
      let all = try fires.wait(forCount: 4)
      #expect(all[0...3].reduce(0) { $0 + $1.count } >= 15)
      try end(timer)
    }
  }

  @Test func intervalsSinceADeadlineThatIsOverAreCounted() throws {
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(fires)
    timer.schedule(deadline: .now() - .milliseconds(1_050), repeating: .milliseconds(100))
    timer.resume()
    try #expect(fires.wait(forCount: 1)[0].count >= 11)
    try end(timer)
  }

  @Test func repeatingTimerKeepsItsPhase() throws {
    let step = 4_000_000
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(fires)
    let start = DispatchTime.now() + .nanoseconds(step)
    timer.schedule(deadline: start, repeating: .nanoseconds(step))
    timer.resume()
    var counted = 0
    // However late the machine is, the n-th firing belongs to the n-th interval: delays do not
    // add up.
    for fire in try fires.wait(forCount: 20) {
      counted += fire.count
      let due = start.uptimeNanoseconds + UInt64((counted - 1) * step)
      #expect(fire.uptime.nanoseconds >= due)
    }
    try end(timer)
  }

  // MARK: Rescheduling

  @Test func handlerMayRescheduleItsTimer() throws {
    let fires = EventLog<Uptime>()
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "test.chain"))
    let shared = Shared(timer)
    timer.setEventHandler {
      fires.append(Uptime.now())
      if fires.count < 5 { shared.value.schedule(deadline: .now() + .milliseconds(2)) }
    }
    timer.schedule(deadline: .now())
    timer.resume()
    let times = try fires.wait(forCount: 5)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect(later.since(earlier) >= .milliseconds(2))
    }
    letRealTimePass(RealTime.settling)
    #expect(fires.count == 5)
    try end(timer)
  }

  @Test func timerMayBeAdvancedAndPostponed() throws {
    try withEvery("clock", in: Clock.allCases) { clock in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      timer.schedule(deadline: .now() + .seconds(3600))
      timer.resume()
      letRealTimePass(.milliseconds(2))
      switch clock {
      case .uptime: timer.schedule(deadline: .now() + .milliseconds(2))
      case .wall: timer.schedule(wallDeadline: .now() + .milliseconds(2))
      }
      try fires.wait(forCount: 1)

      let begun = Uptime.now()
      timer.schedule(deadline: .now() + .nanoseconds(Int(RealTime.settling.wholeNanoseconds)))
      timer.schedule(deadline: .now() + .seconds(3600))
      // Valid if the timer was rescheduled before it was due.
      let isInTime = Uptime.now() < begun + RealTime.settling
      letRealTimePass(RealTime.settling * 2)
      if isInTime { #expect(fires.count == 1) }
      try end(timer)
    }
  }

  @Test func timerMayBeRescheduledByAnotherThreadWhileItsHandlerRuns() throws {
    let log = EventLog<Int>()
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "test.running"))
    let running = Gate("running")
    let gate = Gate()
    timer.setEventHandler {
      running.open()
      gate.pass()
      log.append(log.count)
    }
    timer.schedule(deadline: .now())
    timer.resume()
    try running.wait()
    timer.schedule(deadline: .now() + .milliseconds(1))
    gate.open()
    try log.wait(forCount: 2)
    letRealTimePass(RealTime.settling)
    #expect(log.count == 2)
    try end(timer)
  }

  /// "Any pending timer data accumulated for the previous timer parameters has been cleared":
  /// an unreported firing is never reported.
  @Test func scheduleDropsFiresThatHaveNotBeenReported() throws {
    try withEvery("repeating", in: [false, true]) { isRepeating in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      timer.resume()
      timer.suspend()
      timer.schedule(deadline: .now(), repeating: isRepeating ? .milliseconds(1) : .never)
      letRealTimePass(RealTime.settling)
      timer.schedule(deadline: .distantFuture)
      timer.resume()
      letRealTimePass(RealTime.settling)
      #expect(fires.count == 0)
      timer.schedule(deadline: .now())
      try #expect(fires.wait(forCount: 1)[0].count == 1)
      try end(timer)
    }
  }

  @Test func repeatingTimerMayBecomeAOneShot() throws {
    let fires = EventLog<Fire>()
    let queue = DispatchQueue(label: "test.one-shot")
    let timer = Self.makeTimer(on: queue, fires)
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.resume()
    try fires.wait(forCount: 3)
    timer.suspend()
    // A handler that runs while the timer is suspended logs too.
    queue.sync {}
    timer.schedule(deadline: .now())
    let before = fires.count
    timer.resume()
    try fires.wait(forCount: before + 1)
    letRealTimePass(RealTime.settling)
    #expect(fires.count == before + 1)
    #expect(fires.all.last?.count == 1)
    try end(timer)
  }

  @Test func scheduleOfACancelledTimerChangesNothing() throws {
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(fires)
    timer.resume()
    try end(timer)
    timer.schedule(deadline: .now())
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    letRealTimePass(RealTime.settling)
    #expect(fires.count == 0)
  }

  // MARK: Cancelling

  @Test func handlerMayCancelARepeatingTimer() throws {
    let events = EventCounter("events")
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "test.cancel"))
    let shared = Shared(timer)
    let gone = EventCounter("cancellations")
    timer.setEventHandler {
      events.increment()
      shared.value.cancel()
    }
    timer.setCancelHandler { gone.increment() }
    timer.schedule(deadline: .now(), repeating: .microseconds(100))
    timer.resume()
    try gone.wait(for: 1)
    letRealTimePass(RealTime.settling)
    #expect(events.value == 1)
    #expect(gone.value == 1)
  }

  @Test func cancelledTimerDoesNotFire() throws {
    let fires = EventLog<Fire>()
    let delay = RealTime.delay
    let begun = Uptime.now()
    let timers = (0..<100).map { number in
      let timer = Self.makeTimer(fires)
      timer.schedule(
        deadline: deadline(after: delay), repeating: number % 2 == 0 ? .never : .milliseconds(1))
      timer.resume()
      return timer
    }
    for timer in timers { timer.cancel() }
    // A timer that was due before its cancellation may have fired.
    let isInTime = Uptime.now() < begun + delay
    letRealTimePass(delay * 2)
    if isInTime { #expect(fires.count == 0) }
  }

  // MARK: Several timers

  @Test func suspendedTimersDoNotDelayOthers() throws {
    let queue = DispatchQueue(label: "test.beside")
    let untold = EventLog<Fire>()
    let suspended = (0..<50).map { _ in
      let timer = Self.makeTimer(on: queue, untold)
      timer.resume()
      timer.suspend()
      timer.schedule(deadline: .now(), repeating: .microseconds(10))
      return timer
    }
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(on: queue, fires)
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.resume()
    try fires.wait(forCount: 10)
    #expect(untold.count == 0)
    try end(timer)
    for timer in suspended {
      timer.cancel()
      timer.resume()
    }
  }

  @Test func slowHandlerDoesNotDelayOthers() throws {
    let gate = Gate()
    let slow = (0..<8).map { number in
      let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "test.slow.\(number)"))
      timer.setEventHandler { gate.pass() }
      timer.schedule(deadline: .now(), repeating: .milliseconds(1))
      timer.resume()
      return timer
    }
    let fires = EventLog<Fire>()
    let timer = Self.makeTimer(fires)
    timer.schedule(deadline: .now(), repeating: .milliseconds(1))
    timer.resume()
    try fires.wait(forCount: 10)
    gate.open()
    try end(timer)
    for timer in slow { try end(timer) }
  }

  // MARK: The forms of Swift 3

  /// Called through this class, so that the compiler issues no deprecation warnings.
  class OldForms {
    func schedule(_ timer: any DispatchSourceTimer, _ form: Int) {}
  }

  final class OldFormsInUse: OldForms {
    @available(*, deprecated)
    override func schedule(_ timer: any DispatchSourceTimer, _ form: Int) {
      switch form {
      case 0: timer.scheduleOneshot(deadline: .now() + .milliseconds(1))
      case 1:
        timer.scheduleOneshot(wallDeadline: .now() + .milliseconds(1), leeway: .milliseconds(1))
      case 2: timer.scheduleRepeating(deadline: .now(), interval: .milliseconds(1))
      case 3: timer.scheduleRepeating(deadline: .now(), interval: 0.001, leeway: .milliseconds(1))
      case 4: timer.scheduleRepeating(wallDeadline: .now(), interval: .milliseconds(1))
      default: timer.scheduleRepeating(wallDeadline: .now(), interval: 0.001)
      }
    }
  }

  @Test func deprecatedFormsFireAsTheirSuccessors() throws {
    let old: OldForms = OldFormsInUse()
    try withEvery("form", in: 0..<6) { form in
      let fires = EventLog<Fire>()
      let timer = Self.makeTimer(fires)
      old.schedule(timer, form)
      timer.resume()
      if form < 2 {
        try fires.wait(forCount: 1)
        letRealTimePass(RealTime.settling)
        #expect(fires.count == 1)
      } else {
        try fires.wait(forCount: 5)
      }
      try end(timer)
    }
  }
}
