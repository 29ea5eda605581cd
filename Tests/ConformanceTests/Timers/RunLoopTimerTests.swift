// RunLoopTimerTests — timers of run loops: when they fire, how often, by which schedule, and that
// they are freed.
//
// Dates that have passed or are never reached let the test control the order of events: one
// pass without a sleep fires all timers that are due.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct RunLoopTimerTests {
  /// Returns a mode in which no other test runs.
  private func freshMode(_ name: String = #function) -> RunLoop.Mode { RunLoop.Mode(name) }

  /// Runs one pass without a sleep.
  @discardableResult
  private func pass(_ mode: RunLoop.Mode) -> CFRunLoopRunResult {
    CFRunLoopRunInMode(CFRunLoopMode(mode), 0, false)
  }

  /// Runs until the log has `count` entries.
  private func run<Event>(_ mode: RunLoop.Mode, until log: EventLog<Event>, has count: Int) {
    let end = Uptime.now() + RealTime.wedge
    while log.count < count && Uptime.now() < end {
      RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 1))
    }
  }

  private func ago(_ seconds: Double) -> Date { Date(timeIntervalSinceNow: -seconds) }

  private var delay: Double { Double(RealTime.delay.wholeNanoseconds) / 1e9 }

  // MARK: Due times

  @Test func timerIsFirstDueWhenItsIntervalHasPassedSinceItWasMade() {
    let mode = freshMode()
    let fires = EventLog<Uptime>()
    let (made, date) = (Uptime.now(), Date())
    let timer = Timer(timeInterval: delay, repeats: false) { _ in fires.append(Uptime.now()) }
    // This holds however long the test took to get here.
    #expect(timer.fireDate > date + 0.99 * delay)
    RunLoop.current.add(timer, forMode: mode)
    run(mode, until: fires, has: 1)
    #expect(fires.all.first! >= made + RealTime.delay)
    #expect(fires.count == 1)
    #expect(!timer.isValid)
    #expect(pass(mode) == .finished)
  }

  @Test func repeatingTimerNeverFiresBeforeAnyOfItsTimes() {
    let mode = freshMode()
    let fires = EventLog<Uptime>()
    let made = Uptime.now()
    let timer = Timer(timeInterval: 0.005, repeats: true) { _ in fires.append(Uptime.now()) }
    RunLoop.current.add(timer, forMode: mode)
    run(mode, until: fires, has: 5)
    timer.invalidate()
    for (number, fire) in fires.all.enumerated() {
      #expect(fire >= made + .milliseconds(5 * (number + 1)))
    }
  }

  @Test func dateThatHasPassedFiresInTheNextPassAndKeepsItsGrid() {
    let mode = freshMode()
    let fires = EventLog<Date>()
    let first = ago(3_250)
    let timer = Timer(fire: first, interval: 1_000, repeats: true) { fires.append($0.fireDate) }
    RunLoop.current.add(timer, forMode: mode)
    #expect(fires.count == 0)
    pass(mode)
    // The timer fires once for all four dates that have passed.
    #expect(fires.all == [first])
    #expect(timer.fireDate == first + 4_000)
    pass(mode)
    #expect(fires.count == 1)
    timer.invalidate()
  }

  /// The document's example: the first of five calls lasts as long as four intervals. One more
  /// call follows it, and that is the fifth. Here the call lasts half an interval more, so that it
  /// does not end exactly at a date of the grid.
  @Test func callThatLastedSeveralIntervalsIsFollowedByOneThatIsLateAndThenByTheOldGrid() {
    let mode = freshMode()
    let dates = EventLog<Date>()
    let interval = 0.02
    let begin = Date()
    let timer = Timer(fire: begin, interval: interval, repeats: true) { timer in
      dates.append(timer.fireDate)
      guard dates.count == 1 else { return }
      // The call may begin late: its length counts from the last date of the grid before it.
      let before = (-begin.timeIntervalSinceNow / interval).rounded(.down)
      while -begin.timeIntervalSinceNow < (before + 4.5) * interval {
        letRealTimePass(.milliseconds(1))
      }
    }
    RunLoop.current.add(timer, forMode: mode)
    pass(mode)
    #expect(dates.count == 1)
    let late = Date()
    pass(mode)
    #expect(dates.count == 2)
    // The next call is the first one of the old grid after the late call.
    let steps = timer.fireDate.timeIntervalSince(begin) / interval
    #expect(abs(steps - steps.rounded()) < 1e-3)
    #expect(steps.rounded() >= 5)
    #expect(timer.fireDate > late)
    timer.invalidate()
  }

  @Test func dueTimersFireInTheOrderOfTheirDatesAndThenOfTheirOrder() {
    let mode = freshMode()
    let fires = EventLog<String>()
    let now = CFAbsoluteTimeGetCurrent()
    let timers = [
      ("second", now - 2, 0), ("fourth", now - 1, 7), ("first", now - 3, 0),
      ("third", now - 1, -7),
    ].map { name, date, order in
      CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, date, 0, 0, order) { _ in
        fires.append(name)
      }!
    }
    for timer in timers { CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, CFRunLoopMode(mode)) }
    pass(mode)
    #expect(fires.all == ["first", "second", "third", "fourth"])
  }

  @Test func intervalsOfZeroOrLessAreATenthOfAMillisecond() {
    for interval in [0, -1, -Double.infinity] {
      #expect(Timer(timeInterval: interval, repeats: true) { _ in }.timeInterval == 0.0001)
      let timer = Timer(timeInterval: interval, repeats: false) { _ in }
      #expect(timer.timeInterval == 0)
      #expect(abs(timer.fireDate.timeIntervalSinceNow) < 60)
    }
    #expect(Timer(fire: Date(), interval: 5, repeats: false) { _ in }.timeInterval == 0)
    for interval in [0.0, -1] {
      let timer = CFRunLoopTimerCreateWithHandler(nil, 0, interval, 0, 0) { _ in }
      #expect(!CFRunLoopTimerDoesRepeat(timer))
    }
  }

  // MARK: Changes

  @Test func dateSetWithinTheBlockIsTheNextAndTheGridContinuesFromIt() {
    let mode = freshMode()
    let fires = EventLog<Date>()
    let next = ago(500)
    let timer = Timer(fire: ago(10), interval: 1_000, repeats: true) { timer in
      fires.append(timer.fireDate)
      if fires.count == 1 { timer.fireDate = next }
    }
    RunLoop.current.add(timer, forMode: mode)
    pass(mode)
    #expect(timer.fireDate == next)
    pass(mode)
    #expect(fires.all.last == next)
    #expect(timer.fireDate == next + 1_000)
    timer.invalidate()
  }

  @Test func settingTheDateOfAFiringOneShotTimerHasNoEffect() {
    let mode = freshMode()
    let fires = EventLog<Bool>()
    let timer = Timer(fire: ago(1), interval: 0, repeats: false) { timer in
      fires.append(timer.isValid)
      timer.fireDate = Date()
    }
    RunLoop.current.add(timer, forMode: mode)
    pass(mode)
    #expect(fires.all == [true])
    #expect(!timer.isValid)
    #expect(pass(mode) == .finished)
  }

  @Test func timerIsPostponedAndAdvanced() {
    let mode = freshMode()
    let fires = EventLog<Int>()
    let timer = Timer(fire: ago(1), interval: 0, repeats: false) { _ in fires.append(1) }
    RunLoop.current.add(timer, forMode: mode)
    timer.fireDate = .distantFuture
    #expect(timer.fireDate == .distantFuture)
    #expect(pass(mode) == .timedOut)
    #expect(fires.count == 0)
    timer.fireDate = ago(1)
    pass(mode)
    #expect(fires.count == 1)
  }

  @Test func fireCallsTheBlockAndLeavesTheScheduleOfARepeatingTimer() {
    let fires = EventLog<Int>()
    let date = Date(timeIntervalSinceNow: 1_000)
    let timer = Timer(fire: date, interval: 10, repeats: true) { _ in fires.append(1) }
    timer.fire()
    timer.fire()
    #expect(fires.count == 2)
    #expect(timer.fireDate == date)
    #expect(timer.isValid)
    timer.invalidate()
    timer.fire()
    #expect(fires.count == 2)
  }

  @Test func fireInvalidatesATimerThatDoesNotRepeat() {
    let mode = freshMode()
    let fires = EventLog<Int>()
    let timer = Timer(fire: ago(1), interval: 0, repeats: false) { _ in fires.append(1) }
    RunLoop.current.add(timer, forMode: mode)
    timer.fire()
    #expect(!timer.isValid)
    #expect(abs(timer.fireDate.timeIntervalSinceNow) < 60)
    #expect(pass(mode) == .finished)
    #expect(fires.count == 1)
  }

  // MARK: Tolerance

  @Test func timersWithOverlappingToleranceShareAWakeUp() {
    let mode = freshMode()
    let fires = EventLog<String>()
    let now = Date()
    let wakeUps = EventCounter("wake-ups")
    let observer = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, CFRunLoopActivity.afterWaiting.rawValue, true, 0
    ) { _, _ in wakeUps.increment() }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, CFRunLoopMode(mode))
    defer { CFRunLoopObserverInvalidate(observer) }
    for number in 0..<100 {
      let timer = Timer(fire: now + delay * Double(number) / 100, interval: 0, repeats: false) {
        #expect($0.fireDate <= Date())
        fires.append("lenient")
      }
      timer.tolerance = 1_000
      RunLoop.current.add(timer, forMode: mode)
    }
    let strict = Timer(fire: now + delay, interval: 0, repeats: false) { _ in
      fires.append("strict")
    }
    RunLoop.current.add(strict, forMode: mode)
    run(mode, until: fires, has: 101)
    #expect(fires.count == 101)
    #expect(fires.all.last == "strict")
    // Without tolerance there would be as many wake-ups as timers, except for timers that a
    // busy machine fires together.
    #expect(wakeUps.value <= 2)
  }

  /// A timer with tolerance may be late, but need not be if the loop is awake.
  @Test func loopThatIsAwakeFiresDueTimersOfAnyTolerance() {
    let mode = freshMode()
    let fires = EventLog<Int>()
    let timer = Timer(fire: ago(1), interval: 0, repeats: false) { _ in fires.append(1) }
    timer.tolerance = 1_000
    RunLoop.current.add(timer, forMode: mode)
    pass(mode)
    #expect(fires.count == 1)
  }

  @Test func toleranceIsHalfTheIntervalAtMost() {
    let timer = Timer(timeInterval: 10, repeats: true) { _ in }
    #expect(timer.tolerance == 0)
    timer.tolerance = 3
    #expect(timer.tolerance == 3)
    timer.tolerance = 6
    #expect(timer.tolerance == 5)
    timer.tolerance = -1
    #expect(timer.tolerance == 0)
  }

  // MARK: Loops and modes

  @Test func aTimerWaitsInAnotherModeAndFiresLater() {
    let (mode, other) = (freshMode(), freshMode(#function + " other"))
    let fires = EventLog<Int>()
    let timer = Timer(fire: ago(1), interval: 0, repeats: false) { _ in fires.append(1) }
    let kept = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    RunLoop.current.add(kept, forMode: other)
    RunLoop.current.add(timer, forMode: mode)
    #expect(pass(other) == .timedOut)
    #expect(fires.count == 0)
    pass(mode)
    #expect(fires.count == 1)
    kept.invalidate()
  }

  @Test func timerOfSeveralModesFiresOnceInTheFirstOfThem() {
    let modes = (0..<5).map { freshMode(#function + "\($0)") }
    let fires = EventLog<Int>()
    let timer = Timer(fire: ago(1), interval: 1_000, repeats: true) { _ in fires.append(1) }
    for mode in modes { RunLoop.current.add(timer, forMode: mode) }
    for mode in modes.reversed() { pass(mode) }
    #expect(fires.count == 1)
    timer.fireDate = ago(1)
    for mode in modes { pass(mode) }
    #expect(fires.count == 2)
    timer.invalidate()
    for mode in modes { #expect(pass(mode) == .finished) }
  }

  @Test func scheduledTimerIsInTheDefaultModeOfTheCurrentLoop() throws {
    let fires = EventLog<String>()
    let thread = JoinableThread {
      let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
        fires.append("\(RunLoop.current.currentMode == .default)")
        if fires.count == 2 { timer.invalidate() }
      }
      let loop = CFRunLoopGetCurrent()
      #expect(CFRunLoopContainsTimer(loop, timer.getCFRunLoopTimer(), .defaultMode))
      CFRunLoopRun()
      #expect(!CFRunLoopContainsTimer(loop, timer.getCFRunLoopTimer(), .defaultMode))
    }
    thread.start()
    thread.join()
    #expect(fires.all == ["true", "true"])
  }

  @Test func timerIsAddedFromAnotherThreadToALoopThatSleeps() throws {
    let mode = CFRunLoopMode(freshMode())
    let loop = CFRunLoopGetCurrent()!
    let fires = EventLog<Int>()
    let kept = CFRunLoopTimerCreateWithHandler(nil, .greatestFiniteMagnitude, 0, 0, 0) { _ in }!
    CFRunLoopAddTimer(loop, kept, mode)
    let thread = try PlainThread {
      while !CFRunLoopIsWaiting(loop) {}
      let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in
        fires.append(1)
        CFRunLoopStop(loop)
      }
      CFRunLoopAddTimer(loop, timer, mode)
    }
    #expect(CFRunLoopRunInMode(mode, 1_000, false) == .stopped)
    #expect(fires.count == 1)
    // A timer that already has a date is moved forward.
    let second = try PlainThread {
      while !CFRunLoopIsWaiting(loop) {}
      CFRunLoopTimerSetNextFireDate(kept, 0)
    }
    #expect(CFRunLoopRunInMode(mode, 1_000, false) == .finished)
    #expect(!CFRunLoopTimerIsValid(kept))
    try thread.join()
    try second.join()
  }

  @Test func timerBelongsToOneLoopAtATime() throws {
    let mode = CFRunLoopMode(freshMode())
    let timer = CFRunLoopTimerCreateWithHandler(nil, 0, 0, 0, 0) { _ in }!
    let own = CFRunLoopGetCurrent()!
    CFRunLoopAddTimer(own, timer, mode)
    let thread = JoinableThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddTimer(loop, timer, mode)
      #expect(!CFRunLoopContainsTimer(loop, timer, mode))
      CFRunLoopRemoveTimer(own, timer, mode)
      CFRunLoopAddTimer(loop, timer, mode)
      #expect(CFRunLoopContainsTimer(loop, timer, mode))
    }
    thread.start()
    thread.join()
    // That loop no longer exists.
    CFRunLoopAddTimer(own, timer, mode)
    #expect(CFRunLoopContainsTimer(own, timer, mode))
    CFRunLoopTimerInvalidate(timer)
  }

  @Test func nestedRunFiresOtherTimersAndNotTheOneThatFires() {
    let mode = freshMode()
    let fires = EventLog<String>()
    let outer = Timer(fire: ago(3), interval: 0.0001, repeats: true) { timer in
      fires.append("outer begins")
      for _ in 0..<3 { self.pass(mode) }
      fires.append("outer ends")
      timer.invalidate()
    }
    let inner = Timer(fire: ago(2), interval: 0, repeats: false) { _ in fires.append("inner") }
    for timer in [outer, inner] { RunLoop.current.add(timer, forMode: mode) }
    pass(mode)
    #expect(fires.all == ["outer begins", "inner", "outer ends"])
  }

  @Test func loopReportsWhenItsNextTimerIsDue() {
    let mode = freshMode()
    let loop = CFRunLoopGetCurrent()
    #expect(RunLoop.current.limitDate(forMode: mode) == nil)
    #expect(CFRunLoopGetNextTimerFireDate(loop, CFRunLoopMode(mode)) == 0)
    let late = Timer(fire: Date() + 2_000, interval: 0, repeats: false) { _ in }
    late.tolerance = 5_000
    let later = Timer(fire: Date() + 3_000, interval: 0, repeats: false) { _ in }
    for timer in [later, late] { RunLoop.current.add(timer, forMode: mode) }
    let date = RunLoop.current.limitDate(forMode: mode)!
    #expect(abs(date.timeIntervalSince(late.fireDate)) < 0.01)
    late.invalidate()
    let next = CFRunLoopGetNextTimerFireDate(loop, CFRunLoopMode(mode))
    #expect(abs(next - later.fireDate.timeIntervalSinceReferenceDate) < 0.01)
    later.invalidate()
  }

  private final class Named: Timer {
    let name = "named"
  }

  @Test func blockReceivesTheAddedTimerEvenIfNothingElseKeepsIt() {
    let mode = freshMode()
    let names = EventLog<String>()
    do {
      let timer = Named(fire: .distantPast, interval: 0, repeats: false) { timer in
        names.append((timer as? Named)?.name ?? "another")
      }
      RunLoop.current.add(timer, forMode: mode)
    }
    pass(mode)
    #expect(names.all == ["named"])
    let other = Named(timeInterval: 1_000, repeats: true) { timer in
      names.append((timer as? Named)?.name ?? "another")
    }
    other.fire()
    other.invalidate()
    #expect(names.all == ["named", "named"])
  }

  // MARK: Captures

  /// D5.
  @Test func timerIsFreedWithAllThatItCapturedWhenItHasFiredOrIsInvalidated() throws {
    let mode = freshMode()
    let tracker = LeakTracker()
    let timers = WeakWatch()
    var last: CFRunLoopTimer?
    for kind in 0..<4 {
      let object = tracker.makeObject()
      let timer = Timer(fire: ago(1), interval: 1_000, repeats: kind > 0) { timer in
        object.touch()
        if kind == 1 { timer.invalidate() }
      }
      timers.watch(timer)
      timers.watch(timer.getCFRunLoopTimer())
      if kind < 3 { RunLoop.current.add(timer, forMode: mode) }
      if kind == 2 { last = timer.getCFRunLoopTimer() }
    }
    // The last timer is in no loop, so nothing holds it.
    #expect(tracker.freed == 1)
    #expect(timers.alive == 6)
    pass(mode)
    // One timer has fired, and one has invalidated itself.
    #expect(tracker.freed == 3)
    #expect(timers.alive == 2)
    CFRunLoopTimerInvalidate(last)
    last = nil
    #expect(tracker.alive == 0)
    #expect(timers.alive == 0)
  }

  @Test func timerThatLeavesItsLoopIsNotKept() {
    let mode = freshMode()
    let timers = WeakWatch()
    let loop = CFRunLoopGetCurrent()
    for _ in 0..<3 {
      let timer = timers.watch(Timer(timeInterval: 1_000, repeats: true) { _ in })
      RunLoop.current.add(timer, forMode: mode)
      CFRunLoopRemoveTimer(loop, timer.getCFRunLoopTimer(), CFRunLoopMode(mode))
      #expect(timer.isValid)
    }
    #expect(timers.alive == 0)
    #expect(pass(mode) == .finished)
  }

  @Test func loopsTimersAreFreedWithItsThread() throws {
    let tracker = LeakTracker()
    let timers = WeakWatch()
    let thread = JoinableThread {
      let object = tracker.makeObject()
      timers.watch(
        Timer.scheduledTimer(withTimeInterval: 1_000, repeats: true) { _ in object.touch() })
    }
    thread.start()
    thread.join()
    #expect(tracker.made == 1)
    #expect(tracker.alive == 0)
    #expect(timers.alive == 0)
  }

  @Test func infoReachesTheBlockAndIsFreedWhenTheTimerIsInvalidated() {
    let mode = freshMode()
    let tracker = LeakTracker()
    let found = EventLog<Bool>()
    let timer = Timer(
      fire: ago(1), interval: 0, userInfo: tracker.makeObject(), repeats: false
    ) { found.append($0.userInfo is TrackedObject) }
    RunLoop.current.add(timer, forMode: mode)
    pass(mode)
    #expect(found.all == [true])
    #expect(timer.userInfo == nil)
    #expect(tracker.alive == 0)
  }

  private final class Blinker {
    var blinks: [String] = []
    func blink(_ timer: Timer) { blinks.append(timer.userInfo as? String ?? "none") }
  }

  @Test func targetsMethodIsCalledAndTheTargetKeptUntilTheTimerIsInvalidated() {
    let mode = freshMode()
    weak var gone: Blinker?
    do {
      let blinker = Blinker()
      gone = blinker
      let first = Timer(
        fireAt: ago(1), interval: 0, target: blinker, selector: Blinker.blink, userInfo: "a",
        repeats: false)
      let second = Timer(
        timeInterval: 1_000, target: blinker, selector: Blinker.blink, userInfo: nil, repeats: true)
      RunLoop.current.add(first, forMode: mode)
      pass(mode)
      second.fire()
      second.invalidate()
      #expect(blinker.blinks == ["a", "none"])
    }
    #expect(gone == nil)
  }

  @Test func invocationIsCalled() {
    let calls = EventCounter("calls")
    let timer = Timer(timeInterval: 1_000, invocation: { calls.increment() }, repeats: false)
    timer.fire()
    #expect(calls.value == 1)
  }

  @Test func invalidatingAgainDoesNothing() {
    let mode = freshMode()
    let timer = Timer(timeInterval: 1_000, repeats: true) { _ in }
    let date = timer.fireDate
    defer { #expect(timer.fireDate == date) }
    RunLoop.current.add(timer, forMode: mode)
    timer.invalidate()
    timer.invalidate()
    timer.fireDate = Date()
    RunLoop.current.add(timer, forMode: mode)
    #expect(!timer.isValid)
    #expect(pass(mode) == .finished)
  }

  @Test func timersAreEqualByIdentityAndDescribeThemselves() {
    let timer = Timer(timeInterval: 2, repeats: true) { _ in }
    let other = Timer(timeInterval: 2, repeats: true) { _ in }
    #expect(timer == timer)
    #expect(timer != other)
    #expect(Set([timer, other, timer]).count == 2)
    #expect("\(timer)".contains("every 2.0 s, valid"))
    other.invalidate()
    #expect("\(other)".contains("invalid"))
  }
}
