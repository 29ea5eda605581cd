// Misuse of timers: each traps, and says what it was given.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("timers of run loops that are misused trap")
struct TimerMisuseTests {
  @Test func timerWhoseIntervalIsNoNumber() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = Timer(timeInterval: .nan, repeats: true) { _ in }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "a timer", "an interval", "NaN")
  }

  @Test func timerThatDoesNotRepeatWhoseIntervalIsNoNumber() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = Timer(fire: Date(), interval: .nan, repeats: false) { _ in }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "a timer", "an interval", "NaN")
  }

  @Test func dateThatIsNoNumber() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let timer = Timer(timeInterval: 1, repeats: true) { _ in }
      timer.fireDate = Date(timeIntervalSinceReferenceDate: .nan)
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "a timer", "a date", "NaN")
  }

  @Test func toleranceThatIsNoNumber() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      Timer(timeInterval: 1, repeats: true) { _ in }.tolerance = .nan
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "a timer", "a tolerance", "NaN")
  }

  @Test func contextOfAnotherVersion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      var context = CFRunLoopTimerContext()
      context.version = 1
      _ = CFRunLoopTimerCreate(kCFAllocatorDefault, 0, 0, 0, 0, { _, _ in }, &context)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "a CFRunLoopTimer", "the version 1",
      "Set the version to 0")
  }

  @Test func contextAskedForInAnotherVersion() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let timer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, 0, 0, 0, 0) { _ in }
      var context = CFRunLoopTimerContext()
      context.version = 2
      CFRunLoopTimerGetContext(timer, &context)
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "a CFRunLoopTimer", "the version 2",
      "Set the version to 0")
  }
}
