// LaterPerformTests — what a thread has its own loop perform in order or after a delay, and how the
// thread cancels it.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct LaterPerformTests {
  private final class Target: Sendable {}

  /// Runs until nothing is left.
  private static func runAll() {
    let end = Uptime.now() + RealTime.wedge
    while RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 2 * loopLimit)) {}
    #expect(Uptime.now() < end, "it slept, with something left to perform")
  }

  @Test func lowerOrderRunsFirstAndEqualOrdersRunInOrderOfArrival() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let target = Target()
      let log = EventLog<String>()
      for (order, name) in [(5, "e"), (-1, "a"), (0, "b"), (5, "f"), (0, "c"), (1, "d")] {
        loop.perform(name, target: target, order: order, modes: [.default]) { log.append(name) }
      }
      loop.perform { log.append("block") }
      Self.runAll()
      #expect(log.all == ["block", "a", "b", "c", "d", "e", "f"])
      Self.runAll()
      #expect(log.count == 7)
    }
  }

  @Test func performAddedWithinAPerformWaitsForTheNextPass() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let target = Target()
      let log = EventLog<String>()
      loop.perform("a", target: target, order: 9, modes: [.default]) {
        log.append("late")
        loop.perform("b", target: target, order: -9, modes: [.default]) { log.append("next pass") }
      }
      loop.perform("c", target: target, order: 10, modes: [.default]) { log.append("later") }
      Self.runAll()
      #expect(log.all == ["late", "later", "next pass"])
    }
  }

  /// Several changes cause one redraw: the loop does not sleep over work that an observer adds
  /// before the sleep.
  @Test func performAddedBeforeTheSleepRunsAtOnce() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let target = Target()
      let log = EventLog<String>()
      let keeper = makeSource()
      CFRunLoopAddSource(loop.getCFRunLoop(), keeper, .defaultMode)
      let observer = CFRunLoopObserverCreateWithHandler(
        kCFAllocatorDefault, CFRunLoopActivity.beforeWaiting.rawValue, false, 0
      ) { _, _ in
        loop.perform("redraw", target: target, modes: [.default]) {
          log.append("redraw")
          CFRunLoopStop(loop.getCFRunLoop())
        }
      }!
      CFRunLoopAddObserver(loop.getCFRunLoop(), observer, .defaultMode)
      CFRunLoopRun()
      #expect(log.all == ["redraw"])
      CFRunLoopSourceInvalidate(keeper)
    }
  }

  @Test func cancelsMeanTargetIdentityAndArgument() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let (one, other) = (Target(), Target())
      let log = EventLog<String>()
      for (target, name) in [(one, "one"), (other, "other")] {
        for identity in ["x", "y"] {
          for argument in [1, 2] {
            loop.perform(identity, target: target, argument: argument, modes: [.default]) {
              log.append("\(name) \(identity) \(argument)")
            }
          }
        }
      }
      loop.cancelPerform("x", target: one, argument: 2)
      loop.cancelPerform("x", target: one)  // None of them lacks an argument.
      loop.cancelPerform("z", target: one, argument: 1)
      // Performs after a delay stay.
      loop.perform("x", target: other, afterDelay: 0) { log.append("delayed") }
      loop.cancelPerformSelectors(withTarget: other)
      Self.runAll()
      #expect(log.all == ["one x 1", "one y 1", "one y 2", "delayed"])
    }
  }

  @Test func performCanCancelAnotherOfTheSamePass() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let target = Target()
      let log = EventLog<String>()
      loop.perform("a", target: target, modes: [.default]) {
        log.append("a")
        loop.cancelPerformSelectors(withTarget: target)
      }
      loop.perform("b", target: target, modes: [.default]) { log.append("b") }
      loop.perform("c", target: target, afterDelay: 0) {
        log.append("c")
        RunLoop.cancelPreviousPerformRequests(withTarget: target)
      }
      loop.perform("d", target: target, afterDelay: 0) { log.append("d") }
      Self.runAll()
      #expect(log.all == ["a", "c"])
    }
  }

  @Test func nestedRunPerformsTheRestAndNoneTwice() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let target = Target()
      let log = EventLog<Int>()
      for number in 0..<6 {
        loop.perform(number, target: target, modes: [.default]) {
          log.append(number)
          if number < 3 { RunLoop.current.run(mode: .default, before: .distantPast) }
        }
        loop.perform(number, target: target, afterDelay: 0) {
          log.append(100 + number)
          if number < 3 { RunLoop.current.run(mode: .default, before: .distantPast) }
        }
      }
      Self.runAll()
      #expect(log.all.sorted() == (0..<6).map { $0 } + (100..<106).map { $0 })
    }
  }

  // MARK: Delays

  @Test func delayOfZeroRunsAfterPendingPerforms() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let log = EventLog<String>()
      loop.perform(afterDelay: 0) { log.append("first") }
      loop.perform(afterDelay: -1) { log.append("second") }
      loop.perform(afterDelay: .nan) { log.append("third") }
      loop.perform { log.append("block") }
      #expect(log.all == [])
      Self.runAll()
      #expect(log.all == ["block", "first", "second", "third"])
    }
  }

  @Test func shorterDelayRunsFirstAndNoneRunsEarly() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let log = EventLog<Double>()
      let begin = Uptime.now()
      let early = EventCounter("early")
      for delay in [0.05, 0.01, 0.03, 0.02] {
        loop.perform(afterDelay: delay) {
          log.append(delay)
          if Uptime.now() < begin + .seconds(delay) { early.increment() }
        }
      }
      // Each delay counts from its own call. The order is certain only if the calls came within
      // the smallest difference.
      let isSteady = Uptime.now() < begin + .milliseconds(10)
      // The perform keeps the loop running until it has run, and no longer.
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, false) == .finished)
      #expect((isSteady ? log.all : log.all.sorted()) == [0.01, 0.02, 0.03, 0.05])
      #expect(early.value == 0)
    }
  }

  @Test func delayIsNotAnInputAndDoesNotEndTheRun() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let log = EventLog<String>()
      let keeper = makeSource { log.append("source") }
      CFRunLoopAddSource(CFRunLoopGetCurrent(), keeper, .defaultMode)
      loop.perform(afterDelay: 0) {
        log.append("delayed")
        CFRunLoopSourceSignal(keeper)
      }
      #expect(CFRunLoopRunInMode(.defaultMode, loopLimit, true) == .handledSource)
      #expect(log.all == ["delayed", "source"])
      CFRunLoopSourceInvalidate(keeper)
    }
  }

  @Test func limitDateIsWhenTheFirstTimerOrDelayedPerformIsDue() throws {
    try onPlainThread {
      let loop = RunLoop.current
      /// Returns the number of seconds until the next deadline, or -1 for never.
      func seconds() -> Double? {
        loop.limitDate(forMode: .default).map { $0 < .distantFuture ? $0.timeIntervalSinceNow : -1 }
      }
      func expect(_ limit: Double, line: Int = #line) {
        let found = seconds() ?? 0
        #expect(found <= limit && found > limit - loopLimit, "line \(line)")
      }
      #expect(seconds() == nil)
      loop.perform(target: Target(), afterDelay: 1, inModes: [RunLoop.Mode("other")]) {}
      #expect(seconds() == nil)
      let keeper = makeSource()
      CFRunLoopAddSource(loop.getCFRunLoop(), keeper, .defaultMode)
      #expect(seconds() == -1)
      let target = Target()
      loop.perform(target: target, afterDelay: 3_000) {}
      expect(3_000)
      // The C interface does not count it as a timer.
      #expect(CFRunLoopGetNextTimerFireDate(loop.getCFRunLoop(), .defaultMode) == 0)
      let timer = Timer(timeInterval: 2_000, repeats: false) { _ in }
      loop.add(timer, forMode: .default)
      expect(2_000)
      loop.perform(target: target, afterDelay: 1_000) {}
      expect(1_000)
      RunLoop.cancelPreviousPerformRequests(withTarget: target)
      expect(2_000)
      timer.invalidate()
      #expect(seconds() == -1)
      CFRunLoopSourceInvalidate(keeper)
    }
  }

  @Test func cancelledDelaysNeverRunAndFreeTheirCaptures() throws {
    try onPlainThread {
      let loop = RunLoop.current
      let watch = WeakWatch()
      let log = EventLog<String>()
      do {
        let target = watch.watch(Target())
        let other = Target()
        let block = watch.watch(Target())
        for identity in ["x", "y"] {
          loop.perform(identity, target: target, afterDelay: 0) {
            _ = block
            log.append(identity)
          }
          loop.perform(identity, target: other, afterDelay: 0) { log.append("other \(identity)") }
        }
        // Performs in order stay.
        loop.perform("x", target: other, modes: [.default]) { log.append("in order") }
        RunLoop.cancelPreviousPerformRequests(withTarget: other, identity: "y")
        RunLoop.cancelPreviousPerformRequests(withTarget: target)
      }
      #expect(watch.alive == 0)
      Self.runAll()
      #expect(log.all == ["in order", "other x"])
    }
  }

  @Test func pendingPerformsAreFreedWithTheThread() throws {
    let watch = WeakWatch()
    try onPlainThread {
      let held = watch.watch(Target())
      RunLoop.current.perform("x", target: held, modes: [.default]) {}
      RunLoop.current.perform(afterDelay: 1e6) { _ = held }
    }
    try watch.waitUntilAllAreFreed()
  }

  @Test func freeingTheLastReferenceMayCancelMore() throws {
    /// Cancels everything when it is freed.
    final class Canceller {
      let other: Target
      init(_ other: Target) { self.other = other }
      deinit { RunLoop.cancelPreviousPerformRequests(withTarget: other) }
    }
    try onPlainThread {
      let loop = RunLoop.current
      let (one, other) = (Target(), Target())
      let log = EventLog<String>()
      do {
        let canceller = Canceller(other)
        loop.perform(target: one, afterDelay: 0) { withExtendedLifetime(canceller) {} }
      }
      loop.perform(target: other, afterDelay: 0) { log.append("other") }
      RunLoop.cancelPreviousPerformRequests(withTarget: one)
      Self.runAll()
      #expect(log.all == [])
    }
  }
}
