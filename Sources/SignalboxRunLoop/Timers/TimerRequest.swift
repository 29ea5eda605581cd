// TimerRequest — checks the parameters of a timer and makes its schedule.

import FoundationEssentials
import SignalboxRuntime

enum TimerRequest {
  /// Makes a schedule for the C interface, where an interval of 0 or less means that the timer
  /// fires once.
  static func schedule(at date: CFAbsoluteTime, _ interval: CFTimeInterval) -> TimerSchedule {
    TimerSchedule(
      at: checked(date, "date"), now: .current, interval: max(0, checked(interval, "interval")))
  }

  static func schedule(
    at date: Date, _ interval: CFTimeInterval, repeats: Bool
  ) -> TimerSchedule {
    TimerSchedule(
      at: checked(date.timeIntervalSinceReferenceDate, "date"), now: .current,
      interval: self.interval(interval, repeats: repeats))
  }

  static func schedule(after seconds: CFTimeInterval, repeats: Bool) -> TimerSchedule {
    let interval = self.interval(seconds, repeats: repeats)
    let seconds = seconds > 0 ? seconds : TimerSchedule.leastInterval
    return TimerSchedule(after: seconds, uptime: TimerNow.uptimeNow, interval: interval)
  }

  /// For `Timer`: only a repeating timer has an interval.
  private static func interval(_ seconds: CFTimeInterval, repeats: Bool) -> CFTimeInterval {
    let seconds = checked(seconds, "interval")
    if !repeats { return 0 }
    return seconds > 0 ? seconds : TimerSchedule.leastInterval
  }

  static func checked(_ seconds: Double, _ what: String) -> Double {
    if !seconds.isNaN { return seconds }
    clientBug(
      "a timer was given \(what == "interval" ? "an" : "a") \(what) that is not a number (NaN).")
  }
}
