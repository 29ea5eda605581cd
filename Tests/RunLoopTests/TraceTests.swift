// TraceTests — what a loop does in which order, in the words of Apple's "Run Loop Sequence of
// Events".

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

/// Returns the steps of one thread's loop while a body runs on it.
private func steps(_ body: @escaping @Sendable () throws -> Void) throws -> [String] {
  try steps { _ in try body() }
}

/// The same, with a body that may wait for steps.
private func steps(
  _ body: @escaping @Sendable (EventLog<String>) throws -> Void
) throws -> [String] {
  let log = EventLog<String>()
  let traced = Guarded<CFRunLoop?>(nil)
  RunLoop.trace = { step in
    if step.loop === traced.current { log.append(step.description) }
  }
  defer { RunLoop.trace = nil }
  try onPlainThread {
    traced.withValue { $0 = CFRunLoopGetCurrent() }
    try body(log)
    traced.withValue { $0 = nil }
  }
  return log.all
}

/// Runs `body` on another thread when the loop sleeps.
private func whenAsleep(
  _ loop: CFRunLoop, _ body: @escaping @Sendable () throws -> Void
) throws -> PlainThread {
  try PlainThread {
    try waitUntilAsleep(loop)
    try body()
  }
}

private let mode = CFRunLoopMode("traced")

@Suite(.serialized) struct TraceTests {
  @Test func aSourceThatIsSignalledWhileTheLoopSleeps() throws {
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      let source = makeSource()
      CFRunLoopAddSource(loop, source, mode)
      let other = try whenAsleep(loop) {
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
      }
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .handledSource)
      try other.join()
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "6 the thread is about to sleep",
        "7 the thread sleeps",
        "7 the run loop was woken",
        "8 the thread woke up",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "4 a source is performed",
        "10 the run loop is left: handled a source",
      ])
  }

  @Test func aSourceThatIsSignalledBeforeTheLoopRuns() throws {
    let found = try steps {
      let source = makeSource()
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .handledSource)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "4 a source is performed",
        "10 the run loop is left: handled a source",
      ])
  }

  @Test func aLoopThatMustNotSleep() throws {
    let found = try steps {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), mode)
      #expect(CFRunLoopRunInMode(mode, 0, true) == .timedOut)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "10 the run loop is left: timed out",
      ])
  }

  @Test func aLoopWhoseTimeHasPassed() throws {
    let limit = Uptime.now() + RealTime.wedge
    var found: [String] = []
    // On a slow machine the time may be over before the sleep, so the test repeats until it is
    // not.
    repeat {
      found = try steps {
        CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), mode)
        #expect(CFRunLoopRunInMode(mode, 0.01, true) == .timedOut)
      }
    } while found.count < 8 && Uptime.now() < limit
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "6 the thread is about to sleep",
        "7 the thread sleeps",
        "7 the time is over",
        "8 the thread woke up",
        "10 the run loop is left: timed out",
      ])
  }

  @Test func aLoopThatIsWokenForNothingAndThenStopped() throws {
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, makeSource(), mode)
      let sleeps = EventCounter("sleeps")
      CFRunLoopAddObserver(loop, makeObserver(of: .afterWaiting) { _ in sleeps.increment() }, mode)
      let other = try whenAsleep(loop) {
        CFRunLoopWakeUp(loop)
        try sleeps.wait(for: 1)
        try waitUntilAsleep(loop)
        CFRunLoopStop(loop)
      }
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .stopped)
      try other.join()
    }
    let once = [
      "2 timers are about to fire",
      "3 sources are about to fire",
      "6 the thread is about to sleep",
      "7 the thread sleeps",
      "7 the run loop was woken",
      "8 the thread woke up",
    ]
    #expect(
      found == ["1 the run loop is entered"] + once + once
        + ["10 the run loop is left: stopped"])
  }

  @Test func blocksRunBeforeAndAfterSources() throws {
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      let source = makeSource {
        CFRunLoopPerformBlock(CFRunLoopGetCurrent(), mode) {}
      }
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopPerformBlock(loop, mode) {}
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, 0, true) == .handledSource)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "4 a block is performed",
        "4 a source is performed",
        "4 a block is performed",
        "10 the run loop is left: handled a source",
      ])
  }

  @Test func aRunWithinASource() throws {
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      let inner = CFRunLoopMode("inner")
      CFRunLoopAddSource(loop, makeSource(), inner)
      let source = makeSource { #expect(CFRunLoopRunInMode(inner, 0, true) == .timedOut) }
      CFRunLoopAddSource(loop, source, mode)
      CFRunLoopSourceSignal(source)
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .handledSource)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "4 a source is performed",
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "10 the run loop is left: timed out",
        "10 the run loop is left: handled a source",
      ])
  }

  /// The example path of document 004, which omits the step from 1 to 2: a source is performed,
  /// a timer wakes the thread and fires, and the thread sleeps until the timer fires again.
  @Test func theDocumentsExample() throws {
    let limit = Uptime.now() + RealTime.wedge
    let sleep = [
      "2 timers are about to fire",
      "3 sources are about to fire",
      "6 the thread is about to sleep",
      "7 the thread sleeps",
    ]
    let first = [
      "1 the run loop is entered",
      "2 timers are about to fire",
      "3 sources are about to fire",
      "4 a source is performed",
    ]
    var found: [String] = []
    // On a slow machine the second firing may be due before the sleep, so the test repeats
    // until it is not.
    repeat {
      found = try steps { told in
        let loop = CFRunLoopGetCurrent()!
        let source = makeSource()
        CFRunLoopAddSource(loop, source, mode)
        CFRunLoopSourceSignal(source)
        let fires = EventCounter("fires")
        // The first firing comes when the loop has begun to sleep, and the next after its call.
        let timer = Timer(fire: .distantFuture, interval: 0.02, repeats: true) { timer in
          if fires.increment() == 2 { CFRunLoopStop(CFRunLoopGetCurrent()) }
          timer.fireDate = Date(timeIntervalSinceNow: 0.02)
        }
        RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
        let handedOn = timer.getCFRunLoopTimer()
        // A loop counts as asleep before it reads when its next timer is due, and a date that is
        // set in between needs no wake-up. It tells of its first sleep after that.
        let other = try PlainThread {
          try told.wait(forCount: (first + sleep).count)
          CFRunLoopTimerSetNextFireDate(handedOn, CFAbsoluteTimeGetCurrent() - 1)
        }
        #expect(CFRunLoopRunInMode(mode, loopLimit, false) == .stopped)
        try other.join()
        timer.invalidate()
      }
    } while found.count { $0 == "7 the thread sleeps" } < 2 && Uptime.now() < limit
    let woken = ["7 the run loop was woken", "8 the thread woke up", "9 a timer fires"]
    let last = ["8 the thread woke up", "9 a timer fires", "10 the run loop is left: stopped"]
    #expect(found == first + sleep + woken + sleep + last)
  }

  @Test func aMessageThatArrivesWhileTheLoopSleeps() throws {
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      let (port, recorder) = (Port(), Recorder())
      port.setDelegate(recorder)
      RunLoop.current.add(port, forMode: RunLoop.Mode(mode))
      let other = try whenAsleep(loop) { port.post(1) }
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .handledSource)
      #expect(recorder.numbers == [1])
      try other.join()
      port.invalidate()
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "6 the thread is about to sleep",
        "7 the thread sleeps",
        "7 the run loop was woken",
        "8 the thread woke up",
        "9 a port is handled",
        "10 the run loop is left: handled a source",
      ])
  }

  @Test func aMessagePendingBeforeTheSleepIsHandledAtOnce() throws {
    let found = try steps {
      let (port, recorder) = (Port(), Recorder())
      port.setDelegate(recorder)
      RunLoop.current.add(port, forMode: RunLoop.Mode(mode))
      port.post(1)
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .handledSource)
      port.invalidate()
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "5 a port is ready",
        "9 a port is handled",
        "10 the run loop is left: handled a source",
      ])
  }

  @Test func aDescriptorThatBecomesReadableWhileTheLoopSleeps() throws {
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      let ends = try Ends()
      let source = CFRunLoopSource.watching(ends.input) { _ = ends.take(atMost: 1) }
      CFRunLoopAddSource(loop, source, mode)
      let other = try whenAsleep(loop) { ends.put([1]) }
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .handledSource)
      try other.join()
      CFRunLoopSourceInvalidate(source)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "6 the thread is about to sleep",
        "7 the thread sleeps",
        "8 the thread woke up",
        "9 a port is handled",
        "10 the run loop is left: handled a source",
      ])
  }

  @Test func aTimerThatIsDueWhileTheLoopSleeps() throws {
    let found = try steps {
      let timer = Timer(timeInterval: 0.01, repeats: false) { _ in }
      RunLoop.current.add(timer, forMode: RunLoop.Mode(mode))
      #expect(CFRunLoopRunInMode(mode, loopLimit, true) == .finished)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "6 the thread is about to sleep",
        "7 the thread sleeps",
        "8 the thread woke up",
        "9 a timer fires",
        "10 the run loop is left: finished",
      ])
  }

  @Test func performsOfOtherThreadsPrecedeSourcesAndDelayedOnesRunWithTimers() throws {
    let found = try steps {
      let source = makeSource()
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, mode)
      CFRunLoopSourceSignal(source)
      RunLoop.current.perform(afterDelay: 0, inModes: [RunLoop.Mode(mode)]) {}
      RunLoop.current.perform("x", target: source, modes: [RunLoop.Mode(mode)]) {}
      try Thread.perform(on: .current, waitUntilDone: false, modes: [RunLoop.Mode(mode)]) {}
      #expect(CFRunLoopRunInMode(mode, 0, false) == .timedOut)
    }
    #expect(
      found == [
        "1 the run loop is entered",
        "2 timers are about to fire",
        "3 sources are about to fire",
        "4 a perform for the thread is done",
        "4 a perform for the thread is done",
        "4 a source is performed",
        "9 a timer fires",
        "10 the run loop is left: timed out",
      ])
  }

  @Test func observersAreCalledWhereTheTraceReportsIt() throws {
    let told = EventLog<UInt>()
    let found = try steps {
      let loop = CFRunLoopGetCurrent()!
      CFRunLoopAddSource(loop, makeSource(), mode)
      CFRunLoopAddObserver(
        loop, makeObserver(of: .allActivities) { told.append($0.rawValue) }, mode)
      #expect(CFRunLoopRunInMode(mode, 0.01, true) == .timedOut)
    }
    #expect(told.all == [1, 2, 4, 32, 64, 128])
    #expect(found.compactMap { Int($0.prefix { $0 != " " }) } == [1, 2, 3, 6, 7, 7, 8, 10])
  }

  @Test func nothingIsTracedWithoutAHandlerAndOneCanBeReadBack() throws {
    #expect(RunLoop.trace == nil)
    let log = EventLog<Int>()
    RunLoop.trace = { log.append($0.number) }
    #expect(RunLoop.trace != nil)
    RunLoop.trace = nil
    try onPlainThread {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), mode)
      CFRunLoopRunInMode(mode, 0, true)
    }
    #expect(RunLoop.trace == nil)
  }
}
