// Misuse of timers: each traps, and says what it was given.

import FoundationEssentials
import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite("timers of run loops that are misused trap")
struct TimerMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("a timer repeats with an interval of NaN", says: "a timer", "an interval", "NaN") {
      _ = Timer(timeInterval: .nan, repeats: true) { _ in }
    }
    Misuse(
      "a timer that does not repeat has an interval of NaN", says: "a timer", "an interval", "NaN"
    ) {
      _ = Timer(fire: Date(), interval: .nan, repeats: false) { _ in }
    }
    Misuse("a timer gets a fire date of NaN", says: "a timer", "a date", "NaN") {
      let timer = Timer(timeInterval: 1, repeats: true) { _ in }
      timer.fireDate = Date(timeIntervalSinceReferenceDate: .nan)
    }
    Misuse("a timer gets a tolerance of NaN", says: "a timer", "a tolerance", "NaN") {
      Timer(timeInterval: 1, repeats: true) { _ in }.tolerance = .nan
    }
    Misuse(
      "a timer is made with a context of version 1", says: "a CFRunLoopTimer", "version 1",
      "Set the version to 0"
    ) {
      var context = CFRunLoopTimerContext()
      context.version = 1
      _ = CFRunLoopTimerCreate(kCFAllocatorDefault, 0, 0, 0, 0, { _, _ in }, &context)
    }
    Misuse(
      "a caller asks a timer for a context of version 2", says: "a CFRunLoopTimer", "version 2",
      "Set the version to 0"
    ) {
      let timer = CFRunLoopTimerCreateWithHandler(kCFAllocatorDefault, 0, 0, 0, 0) { _ in }
      var context = CFRunLoopTimerContext()
      context.version = 2
      CFRunLoopTimerGetContext(timer, &context)
    }
  }
}
