// RunLoopTests — Apple's "Run Loops" and "CFRunLoop": starting, leaving, nesting, waking, blocks.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

private let mode = CFRunLoopMode("test")
private let long = loopLimit

@Suite struct RunLoopTests {
  // MARK: One loop for each thread

  @Test func eachThreadHasOneLoopWhichBothInterfacesName() throws {
    try onPlainThread {
      let loop = RunLoop.current
      #expect(RunLoop.current === loop)
      #expect(CFRunLoopGetCurrent() === loop.getCFRunLoop())
      #expect(RunLoop.of(loop.getCFRunLoop()) === loop)
      let other = try onPlainThread { CFRunLoopGetCurrent()! }
      #expect(other !== loop.getCFRunLoop())
      #expect(other != loop.getCFRunLoop())
    }
  }

  @Test func theMainLoopIsTheSameFromEveryThread() throws {
    let main = try onPlainThread { CFRunLoopGetMain()! }
    #expect(main === CFRunLoopGetMain())
    #expect(RunLoop.main === RunLoop.main)
    #expect(RunLoop.main.getCFRunLoop() === main)
    #expect("\(main)".contains("main run loop"))
  }

  @Test func aLoopEndsWithItsThreadAndIsFreed() throws {
    let watch = WeakWatch(), tracker = LeakTracker()
    let log = EventLog<String>()
    try onPlainThread {
      let object = tracker.makeObject()
      let loop = watch.watch(CFRunLoopGetCurrent()!)
      watch.watch(RunLoop.current)
      let source = watch.watch(
        makeSource(cancel: { _, mode in log.append(mode.rawValue) }, { object.touch() }))
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopAddObserver(
        loop, watch.watch(makeObserver(of: .entry) { _ in object.touch() }), .commonModes)
      CFRunLoopPerformBlock(loop, CFRunLoopMode("never")) { object.touch() }
    }
    #expect(log.all == ["test"])
    #expect(watch.alive == 0)
    try tracker.waitUntilAllAreFreed()
  }

  @Test func aLoopWhoseThreadHasEndedKeepsNothingThatIsAdded() throws {
    let tracker = LeakTracker()
    let loop = try onPlainThread { CFRunLoopGetCurrent()! }
    let source = makeSource()
    CFRunLoopAddSource(loop, source, mode)
    #expect(!CFRunLoopContainsSource(loop, source, mode))
    CFRunLoopAddSource(loop, source, .commonModes)
    #expect(!CFRunLoopContainsSource(loop, source, .commonModes))
    do {
      let object = tracker.makeObject()
      CFRunLoopPerformBlock(loop, mode) { object.touch() }
    }
    try tracker.waitUntilAllAreFreed()
    CFRunLoopWakeUp(loop)
    CFRunLoopStop(loop)
    #expect(CFRunLoopCopyCurrentMode(loop) == nil)
    // The source works again.
    let performed = EventCounter()
    let again = makeSource { performed.increment() }
    CFRunLoopAddSource(loop, again, mode)
    CFRunLoopSourceSignal(again)
    try onPlainThread {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), again, mode)
      #expect(CFRunLoopRunInMode(mode, 0, true) == .handledSource)
    }
    #expect(performed.value == 1)
  }

  // MARK: Starting and leaving

  @Test func aModeWithNothingInItEndsTheRunAtOnce() throws {
    try onPlainThread {
      let told = EventCounter("observer")
      let observer = makeObserver(of: .allActivities) { _ in told.increment() }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, mode)
      #expect(CFRunLoopRunInMode(mode, long, false) == .finished)
      #expect(!RunLoop.current.run(mode: RunLoop.Mode(mode), before: .distantFuture))
      #expect(told.value == 0)
      RunLoop.current.configureAsServer()
      RunLoop.current.run()
      RunLoop.current.run(until: .distantFuture)
      CFRunLoopRun()
      #expect(RunLoop.current.limitDate(forMode: .default) == nil)
      RunLoop.current.acceptInput(forMode: "test", before: .distantFuture)
    }
  }

  @Test func aLoopCannotRunInTheCommonModes() throws {
    try onPlainThread {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), .commonModes)
      #expect(CFRunLoopRunInMode(.commonModes, long, false) == .finished)
      #expect(!RunLoop.current.run(mode: .common, before: .distantFuture))
    }
  }

  @Test func aRunEndsWhenItsTimeIsOver() throws {
    try onPlainThread {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), mode)
      for seconds in [0, -1, -.infinity, .nan, 0.001] {
        #expect(CFRunLoopRunInMode(mode, seconds, false) == .timedOut)
      }
      let begin = Uptime.now()
      #expect(CFRunLoopRunInMode(mode, 0.02, true) == .timedOut)
      #expect(Uptime.now().since(begin) >= .milliseconds(20))
      let loop = RunLoop.current
      #expect(loop.run(mode: RunLoop.Mode(mode), before: .distantPast))
      #expect(loop.run(mode: RunLoop.Mode(mode), before: Date(timeIntervalSinceNow: 0.01)))
      #expect(loop.limitDate(forMode: RunLoop.Mode(mode)) == .distantFuture)
    }
  }

  @Test func aRunEndsWithItsLastSource() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let source = makeSource()
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopPerformBlock(loop, mode) { CFRunLoopRemoveSource(loop, source, mode) }
      #expect(CFRunLoopRunInMode(mode, long, false) == .finished)
      CFRunLoopAddSource(loop, source, .defaultMode)
      CFRunLoopPerformBlock(loop, .defaultMode) { CFRunLoopSourceInvalidate(source) }
      CFRunLoopRun()
    }
  }

  @Test func aSleepingRunEndsWhenItsLastSourceIsRemoved() throws {
    for invalidates in [true, false] {
      try onPlainThread {
        let loop = CFRunLoopGetCurrent()!
        let source = makeSource()
        CFRunLoopAddSource(loop, source, mode)
        let other = try PlainThread {
          try waitUntilAsleep(loop)
          if invalidates {
            CFRunLoopSourceInvalidate(source)
          } else {
            CFRunLoopRemoveSource(loop, source, mode)
          }
        }
        #expect(CFRunLoopRunInMode(mode, long, false) == .finished)
        try other.join()
      }
    }
  }

  @Test func aRunEndsWhenAnObserverOfItsSleepRemovesTheLastSource() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let source = makeSource()
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopAddObserver(
        loop, makeObserver(of: .beforeWaiting) { _ in CFRunLoopSourceInvalidate(source) }, mode)
      #expect(CFRunLoopRunInMode(mode, long, false) == .finished)
    }
  }

  @Test func withoutReturningAfterSourcesARunStaysUntilItIsStopped() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let performed = EventCounter()
      let source = makeSource {
        if performed.increment() == 5 {
          CFRunLoopStop(CFRunLoopGetCurrent())
        }
      }
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopSourceSignal(source)
      let other = try PlainThread {
        for count in 1..<5 {
          try performed.wait(for: count)
          CFRunLoopSourceSignal(source)
          CFRunLoopWakeUp(loop)
        }
      }
      #expect(CFRunLoopRunInMode(mode, long, false) == .stopped)
      #expect(performed.value == 5)
      try other.join()
    }
  }

  @Test func ofSeveralSignalledSourcesARunThatReturnsPerformsTheFirstOnly() throws {
    try onPlainThread {
      let log = EventLog<Int>()
      for order in [2, -1, 0] {
        let source = makeSource(order: order) { log.append(order) }
        CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
        CFRunLoopSourceSignal(source)
      }
      #expect(CFRunLoopRunInMode(mode, long, true) == .handledSource)
      #expect(log.all == [-1])
      #expect(CFRunLoopRunInMode(mode, long, true) == .handledSource)
      #expect(CFRunLoopRunInMode(mode, long, true) == .handledSource)
      #expect(log.all == [-1, 0, 2])
      #expect(CFRunLoopRunInMode(mode, 0, true) == .timedOut)
    }
  }

  /// Such a run returns at once and does nothing.
  @Test func onlyItsOwnThreadRunsALoop() throws {
    let performed = EventCounter("source")
    let source = makeSource { performed.increment() }
    let thread = try LoopThread { loop in CFRunLoopAddSource(loop, source, mode) }
    CFRunLoopSourceSignal(source)
    try onPlainThread {
      let loop = RunLoop.of(thread.loop)
      #expect(!loop.run(mode: RunLoop.Mode(mode), before: .distantFuture))
      #expect(loop.limitDate(forMode: RunLoop.Mode(mode)) == nil)
      loop.acceptInput(forMode: mode.rawValue, before: .distantFuture)
      loop.run(until: .distantFuture)
      loop.run()
    }
    #expect(performed.value == 0)
    // The loop's own thread still can.
    #expect(try thread.run { CFRunLoopRunInMode(mode, long, true) } == .handledSource)
    #expect(performed.value == 1)
    try thread.end()
  }

  // MARK: Stopping

  @Test func theStopOfTheToolchainsTestsEndsARun() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, makeSource(), mode)
      CFRunLoopPerformBlock(loop, mode) { RunLoop.current._stop() }
      #expect(CFRunLoopRunInMode(mode, long, false) == .stopped)
      let other = try PlainThread {
        try waitUntilAsleep(loop)
        RunLoop.of(loop)._stop()
      }
      #expect(CFRunLoopRunInMode(mode, long, false) == .stopped)
      try other.join()
      RunLoop.current._stop()
      #expect(CFRunLoopRunInMode(mode, 0.001, false) == .timedOut)
    }
  }

  @Test func aStopBeforeARunIsNotKept() throws {
    try onPlainThread {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), mode)
      CFRunLoopStop(CFRunLoopGetCurrent())
      #expect(CFRunLoopRunInMode(mode, 0.001, false) == .timedOut)
    }
  }

  @Test func aStopEndsTheInnermostRunOnly() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let inner = CFRunLoopMode("inner")
      CFRunLoopAddSource(loop, makeSource(), inner)
      CFRunLoopPerformBlock(loop, inner) { CFRunLoopStop(loop) }
      let source = makeSource {
        #expect(CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) == mode)
        #expect(CFRunLoopRunInMode(inner, long, false) == .stopped)
        #expect(CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) == mode)
      }
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, 0.001, false) == .timedOut)
    }
  }

  @Test func aStoppedRunThatRunsANestedOneStopsAfterwards() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let inner = CFRunLoopMode("inner")
      CFRunLoopAddSource(loop, makeSource(), inner)
      let source = makeSource {
        CFRunLoopStop(CFRunLoopGetCurrent())
        #expect(CFRunLoopRunInMode(inner, 0.001, false) == .timedOut)
      }
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, long, false) == .stopped)
    }
  }

  @Test func aStopEndsOneIterationOfRunUntil() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let keeper = makeSource()
      CFRunLoopAddSource(loop, keeper, .defaultMode)
      let exits = EventCounter("exits")
      let stop: @Sendable () -> Void = {
        // After the third turn there is nothing left to wait for.
        if exits.value == 2 { CFRunLoopSourceInvalidate(keeper) }
        CFRunLoopStop(loop)
      }
      CFRunLoopAddObserver(
        loop,
        makeObserver(of: .exit) { _ in
          if exits.increment() < 3 { CFRunLoopPerformBlock(loop, .defaultMode, stop) }
        }, .defaultMode)
      CFRunLoopPerformBlock(loop, .defaultMode, stop)
      RunLoop.current.run(until: Date(timeIntervalSinceNow: loopLimit))
      #expect(exits.value == 3)
    }
  }

  @Test func everyRunThatBeganReportsItsEnd() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let log = EventLog<UInt>()
      CFRunLoopAddObserver(
        loop, makeObserver(of: [.entry, .exit]) { log.append($0.rawValue) }, mode)
      let source = makeSource()
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopRunInMode(mode, 0, true)
      CFRunLoopSourceSignal(source)
      CFRunLoopRunInMode(mode, 0, true)
      CFRunLoopPerformBlock(loop, mode) { CFRunLoopStop(loop) }
      CFRunLoopRunInMode(mode, long, true)
      CFRunLoopPerformBlock(loop, mode) { CFRunLoopSourceInvalidate(source) }
      CFRunLoopRunInMode(mode, long, true)
      #expect(log.all == [1, 128, 1, 128, 1, 128, 1, 128])
    }
  }

  // MARK: Waking

  @Test func wakingALoopThatDoesNotRunStartsNothing() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let performed = EventCounter()
      let source = makeSource { performed.increment() }
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopSourceSignal(source)
      CFRunLoopWakeUp(loop)
      #expect(!CFRunLoopIsWaiting(loop))
      letRealTimePass(RealTime.settling)
      #expect(performed.value == 0)
    }
  }

  @Test func manyWakesOfASleepingLoopCountAsOne() throws {
    let passes = EventCounter("passes")
    let thread = try LoopThread { loop in
      CFRunLoopAddObserver(
        loop,
        makeObserver(of: .afterWaiting) { _ in
          passes.increment()
        }, .defaultMode)
    }
    try waitUntilAsleep(thread.loop)
    let before = passes.value
    CFRunLoopWakeUp(thread.loop)
    try passes.wait(for: before + 1)
    try waitUntilAsleep(thread.loop)
    letRealTimePass(RealTime.settling)
    #expect(passes.value == before + 1)
    try thread.end()
  }

  // MARK: Blocks

  @Test func blocksRunInOrderInTheModesTheyWereGivenFor() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let log = EventLog<Int>()
      let other = CFRunLoopMode("other")
      CFRunLoopAddSource(loop, makeSource(), mode)
      CFRunLoopAddSource(loop, makeSource(), other)
      CFRunLoopPerformBlock(loop, mode) { log.append(1) }
      CFRunLoopPerformBlock(loop, other) { log.append(2) }
      CFRunLoopPerformBlock(loop, [mode, other]) { log.append(3) }
      CFRunLoopPerformBlock(loop, "other") { log.append(4) }
      CFRunLoopPerformBlock(loop, .commonModes) { log.append(5) }
      #expect(CFRunLoopRunInMode(other, 0, true) == .timedOut)
      #expect(log.all == [2, 3, 4])
      #expect(CFRunLoopRunInMode(mode, 0, true) == .timedOut)
      #expect(log.all == [2, 3, 4, 1])
      #expect(CFRunLoopRunInMode(.defaultMode, 0, true) != .handledSource)
      #expect(log.all == [2, 3, 4, 1, 5])
    }
  }

  @Test func aRunDoesNotEndBeforeItsBlocksHaveRun() throws {
    try onPlainThread {
      let ran = EventCounter()
      CFRunLoopPerformBlock(CFRunLoopGetCurrent(), mode) { ran.increment() }
      #expect(CFRunLoopRunInMode(mode, long, false) == .finished)
      #expect(ran.value == 1)
    }
  }

  @Test func aRunWithinABlockRunsTheBlocksAfterIt() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let log = EventLog<Int>()
      CFRunLoopAddSource(loop, makeSource(), mode)
      CFRunLoopPerformBlock(loop, mode) {
        log.append(1)
        CFRunLoopRunInMode(mode, 0, false)
        log.append(4)
      }
      CFRunLoopPerformBlock(loop, mode) { log.append(2) }
      CFRunLoopPerformBlock(loop, mode) { log.append(3) }
      CFRunLoopRunInMode(mode, 0, false)
      #expect(log.all == [1, 2, 3, 4])
    }
  }

  @Test func blocksAddedByABlockRunInALaterPass() throws {
    try onPlainThread {
      let loop = CFRunLoopGetCurrent()!
      let log = EventLog<Int>()
      CFRunLoopAddSource(loop, makeSource(), mode)
      CFRunLoopPerformBlock(loop, mode) {
        CFRunLoopPerformBlock(loop, mode) { log.append(2) }
        log.append(1)
      }
      CFRunLoopRunInMode(mode, 0, false)
      CFRunLoopRunInMode(mode, 0, false)
      #expect(log.all == [1, 2])
    }
  }

  @Test func aPerformFromAnotherThreadWakesTheLoop() throws {
    let thread = try LoopThread()
    try waitUntilAsleep(thread.loop)
    let ran = Gate("the block")
    RunLoop.of(thread.loop).perform { ran.open() }
    try ran.wait()
    try waitUntilAsleep(thread.loop)
    let again = Gate("the second block")
    RunLoop.of(thread.loop).perform(inModes: [.default, .modalPanel]) { again.open() }
    try again.wait()
    try thread.end()
  }
}
