// What a loop does in which order, in the words of Apple's "Run Loop Sequence of Events".

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

/// The steps of one thread's loop while a body runs on it.
private func steps(_ body: @escaping @Sendable () throws -> Void) throws -> [String] {
  let log = EventLog<String>()
  let traced = Guarded<CFRunLoop?>(nil)
  RunLoop.trace = { step in
    if step.loop === traced.current { log.append(step.description) }
  }
  defer { RunLoop.trace = nil }
  try onPlainThread {
    traced.withValue { $0 = CFRunLoopGetCurrent() }
    try body()
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

  @Test func aLoopThatMayNotSleep() throws {
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

  @Test func aLoopWhoseTimeIsOver() throws {
    let found = try steps {
      CFRunLoopAddSource(CFRunLoopGetCurrent(), makeSource(), mode)
      #expect(CFRunLoopRunInMode(mode, 0.01, true) == .timedOut)
    }
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

  @Test func observersAreToldWhereTheTraceSaysSo() throws {
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
