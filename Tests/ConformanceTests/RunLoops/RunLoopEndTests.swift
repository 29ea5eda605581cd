// RunLoopEndTests — what a run does, as its observers see it, and how it ends.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("Ends of runs", .guarded) struct RunLoopEndTests {
  private static let seconds = Double(RealTime.delay.wholeNanoseconds) / 1e9

  // MARK: Contents of the mode

  @Test func observersAloneDoNotKeepALoopRunningAndAreNotCalled() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      CFRunLoopAddObserver(loop, makeNotingObserver { log.append($0) }, .defaultMode)
      #expect(CFRunLoopRunInMode(.defaultMode, forEver, false) == .finished)
      #expect(!RunLoop.current.run(mode: .default, before: .distantFuture))
      RunLoop.current.run(until: .distantFuture)
      RunLoop.current.run()
      CFRunLoopRun()
    }
    #expect(log.all == [])
  }

  @Test func aSourceInAnotherModeDoesNotKeepALoop() throws {
    try onFreshLoop { loop in
      CFRunLoopAddSource(loop, makeKeeper(), .other)
      #expect(CFRunLoopRunInMode(.own, forEver, false) == .finished)
    }
  }

  @Test(arguments: [true, false])
  func removingTheLastSourceEndsTheRun(byAnotherThread: Bool) throws {
    let log = TrialLog()
    let observer = makeNotingObserver(of: [.entry, .exit]) { log.append($0) }
    let source = makeNotingSource("a", TrialLog())
    let results = EventLog<CFRunLoopRunResult>()
    let loops = EventLog<CFRunLoop>()
    let thread = try PlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, source, .own)
      CFRunLoopAddObserver(loop, observer, .own)
      if !byAnotherThread {
        CFRunLoopPerformBlock(loop, .own) { CFRunLoopRemoveSource(loop, source, .own) }
      }
      loops.append(loop)
      results.append(CFRunLoopRunInMode(.own, forEver, false))
    }
    let loop = try loops.wait(forCount: 1)[0]
    if byAnotherThread {
      try waitUntilSleeping(loop)
      CFRunLoopRemoveSource(loop, source, .own)
      CFRunLoopWakeUp(loop)
    }
    try thread.join()
    #expect(results.all == [.finished])
    #expect(log.all == ["entry", "exit"])
  }

  @Test func theEndlessRunsEndWithTheLastSource() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      for name in ["CFRunLoopRun", "run"] {
        let kept = EventLog<CFRunLoopSource>()
        let source = makeNotingSource(name, log) { CFRunLoopSourceInvalidate(kept.all[0]) }
        kept.append(source)
        CFRunLoopAddSource(loop, source, .defaultMode)
        CFRunLoopSourceSignal(source)
        if name == "run" { RunLoop.current.run() } else { CFRunLoopRun() }
      }
    }
    #expect(log.performed == ["CFRunLoopRun", "run"])
  }

  // MARK: Sources

  @Test func aRunThatReturnsHandlesOneSourceAndKeepsTheOther() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      for name in ["a", "b"] {
        let source = makeNotingSource(name, log)
        CFRunLoopAddSource(loop, source, .defaultMode)
        CFRunLoopSourceSignal(source)
      }
      #expect(RunLoop.current.run(mode: .default, before: .distantFuture))
      #expect(log.performed == ["a"])
      #expect(CFRunLoopRunInMode(.defaultMode, forEver, true) == .handledSource)
      #expect(log.performed == ["a", "b"])
      #expect(CFRunLoopRunInMode(.defaultMode, 0, true) == .timedOut)
    }
  }

  @Test func aRunUntilADateGoesOnAfterEachEvent() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let sources = EventLog<CFRunLoopSource>()
      for name in ["a", "b", "c"] {
        let source = makeNotingSource(name, log) {
          if name == "c" { sources.all.forEach(CFRunLoopSourceInvalidate) }
        }
        CFRunLoopAddSource(loop, source, .defaultMode)
        CFRunLoopSourceSignal(source)
        sources.append(source)
      }
      RunLoop.current.run(until: .distantFuture)
    }
    #expect(log.performed == ["a", "b", "c"])
  }

  @Test func aRunUntilADateDoesNotEndBeforeIt() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let source = makeNotingSource("a", log)
      CFRunLoopAddSource(loop, source, .defaultMode)
      CFRunLoopSourceSignal(source)
      let start = Uptime.now()
      RunLoop.current.run(until: Date(timeIntervalSinceNow: Self.seconds))
      // A date has a limited resolution.
      #expect(Uptime.now().since(start) > RealTime.delay - .milliseconds(1))
    }
    #expect(log.performed == ["a"])
  }

  // MARK: Time

  @Test func aWokenRunEndsAtItsTimeAndNotBefore() throws {
    let limit = Uptime.now() + RealTime.wedge
    var waits = 0
    // A slow machine may have time for fewer passes, so the test repeats until it has enough.
    while waits < 4 && Uptime.now() < limit {
      let log = TrialLog()
      try onFreshLoop { loop in
        CFRunLoopAddSource(loop, makeKeeper(), .own)
        let observer = makeNotingObserver(of: [.beforeWaiting, .exit]) { name in
          log.append(name)
          if log.count < 4 { CFRunLoopWakeUp(loop) }
        }
        CFRunLoopAddObserver(loop, observer, .own)
        let start = Uptime.now()
        #expect(CFRunLoopRunInMode(.own, Self.seconds, false) == .timedOut)
        #expect(Uptime.now().since(start) >= RealTime.delay)
        #expect(log.all.last == "exit")
      }
      waits = log.all.count { $0 == "beforeWaiting" }
    }
    #expect(waits >= 4)
  }

  @Test func aTimeLimitOfZeroMeansOnePassWithoutASleep() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      CFRunLoopAddSource(loop, makeKeeper(), .own)
      CFRunLoopAddObserver(loop, makeNotingObserver { log.append($0) }, .own)
      for seconds in [0, -1, -Double.infinity] {
        #expect(CFRunLoopRunInMode(.own, seconds, false) == .timedOut)
      }
      let mode = RunLoop.Mode(CFRunLoopMode.own)
      #expect(RunLoop.current.run(mode: mode, before: .distantPast))
    }
    let pass = ["entry", "beforeTimers", "beforeSources", "exit"]
    #expect(log.all == Array(repeating: pass, count: 4).flatMap { $0 })
  }

  // MARK: Stops, and runs within runs

  @Test func aStopByAnotherThreadEndsTheInnermostRun() throws {
    let log = TrialLog()
    let inner = Gate("the inner run"), loops = EventLog<CFRunLoop>()
    let thread = try PlainThread {
      let loop = CFRunLoopGetCurrent()!
      for mode in [CFRunLoopMode.own, .other] { CFRunLoopAddSource(loop, makeKeeper(), mode) }
      let nesting = makeNotingSource("outer", log) {
        let observer = makeNotingObserver(of: .beforeWaiting) { _ in inner.open() }
        CFRunLoopAddObserver(loop, observer, .other)
        #expect(CFRunLoopCopyCurrentMode(loop) == .own)
        let result = CFRunLoopRunInMode(.other, forEver, false)
        log.append(result == .stopped ? "inner stopped" : "inner \(result)")
        #expect(CFRunLoopCopyCurrentMode(loop) == .own)
      }
      CFRunLoopAddSource(loop, nesting, .own)
      CFRunLoopSourceSignal(nesting)
      loops.append(loop)
      let result = CFRunLoopRunInMode(.own, forEver, false)
      log.append(result == .stopped ? "outer stopped" : "outer \(result)")
      #expect(CFRunLoopCopyCurrentMode(loop) == nil)
    }
    let loop = try loops.wait(forCount: 1)[0]
    try inner.wait()
    try waitUntilSleeping(loop)
    #expect(CFRunLoopCopyCurrentMode(loop) == .other)
    CFRunLoopStop(loop)
    // Waits for "schedule outer", "perform outer" and "inner stopped".
    try log.wait(forCount: 3)
    try waitUntilSleeping(loop)
    #expect(CFRunLoopCopyCurrentMode(loop) == .own)
    CFRunLoopStop(loop)
    try thread.join()
    #expect(log.all.filter { $0.hasSuffix("stopped") } == ["inner stopped", "outer stopped"])
  }

  /// If its time hid the stop, a thread that runs its loop again until it is stopped would never
  /// end.
  @Test func aStopInTheLastPassOfARunIsItsResult() throws {
    try onFreshLoop { loop in
      CFRunLoopAddSource(loop, makeKeeper(), .own)
      CFRunLoopPerformBlock(loop, .own) { CFRunLoopStop(loop) }
      #expect(CFRunLoopRunInMode(.own, 0, false) == .stopped)
      #expect(CFRunLoopRunInMode(.own, 0, false) == .timedOut)
    }
  }

  @Test func threeNestedRunsNeedThreeStops() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let modes = ["1", "2", "3"].map { CFRunLoopMode($0) }
      for mode in modes { CFRunLoopAddSource(loop, makeKeeper(), mode) }
      @Sendable func run(_ depth: Int) {
        CFRunLoopPerformBlock(loop, modes[depth]) {
          if depth < 2 { run(depth + 1) }
          CFRunLoopStop(loop)
        }
        let result = CFRunLoopRunInMode(modes[depth], forEver, false)
        log.append("\(depth) \(result == .stopped)")
      }
      run(0)
    }
    #expect(log.all == ["2 true", "1 true", "0 true"])
  }

  @Test func everyEndIsReportedWhateverItsReason() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      let source = makeNotingSource("a", TrialLog())
      CFRunLoopAddSource(loop, source, .own)
      CFRunLoopAddObserver(loop, makeNotingObserver(of: .exit) { log.append($0) }, .own)
      #expect(CFRunLoopRunInMode(.own, Self.seconds, false) == .timedOut)
      #expect(log.count == 1)
      CFRunLoopPerformBlock(loop, .own) { CFRunLoopStop(loop) }
      #expect(CFRunLoopRunInMode(.own, forEver, false) == .stopped)
      #expect(log.count == 2)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(.own, forEver, true) == .handledSource)
      #expect(log.count == 3)
      CFRunLoopPerformBlock(loop, .own) { CFRunLoopSourceInvalidate(source) }
      #expect(CFRunLoopRunInMode(.own, forEver, false) == .finished)
      #expect(log.count == 4)
    }
  }

  // MARK: Blocks

  @Test func aThousandBlocksOfEachOfFourThreadsRunInTheirOrder() throws {
    let running = try RunningLoop()
    let loop = running.loop!
    let log = EventLog<Int>()
    try runThreads(4) { thread in
      for number in 0..<1_000 {
        RunLoop.of(loop).perform { log.append(thread * 1_000 + number) }
      }
    }
    let all = try log.wait(forCount: 4_000)
    for thread in 0..<4 {
      #expect(all.filter { $0 / 1_000 == thread } == (0..<1_000).map { thread * 1_000 + $0 })
    }
    try running.end()
  }

  @Test func aBlockOfSeveralModesRunsOnceInTheFirstOfThem() throws {
    let log = TrialLog()
    try onFreshLoop { loop in
      for mode in [CFRunLoopMode.own, .other] { CFRunLoopAddSource(loop, makeKeeper(), mode) }
      let modes = [CFRunLoopMode.own, .other].map { RunLoop.Mode($0) }
      RunLoop.current.perform(inModes: modes) { log.append("block") }
      for mode in [CFRunLoopMode.other, .own] { CFRunLoopRunInMode(mode, 0, false) }
    }
    #expect(log.all == ["block"])
  }

  @Test func blocksThatNeverRanAreFreedWithTheThread() throws {
    let tracker = LeakTracker()
    let ran = EventCounter()
    try onFreshLoop { loop in
      for mode in [CFRunLoopMode.own, .commonModes] {
        let object = tracker.makeObject()
        CFRunLoopPerformBlock(loop, mode) {
          object.touch()
          ran.increment()
        }
      }
    }
    try tracker.waitUntilAllAreFreed()
    #expect(ran.value == 0)
  }
}
