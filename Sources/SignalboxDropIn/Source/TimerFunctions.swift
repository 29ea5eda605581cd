// TimerFunctions — dispatch_source_set_timer.

import SignalboxDispatch
import SignalboxRuntime

/// Sets when a timer is first due, and how often it is due from then on. Times of the old schedule
/// that were not reported are forgotten.
///
/// With an interval of DISPATCH_TIME_FOREVER, or of 2^63 - 1 nanoseconds or more, the timer fires
/// once. An interval of 0 means one nanosecond, as in the toolchain: the handler is called again
/// and again. A `start` of DISPATCH_TIME_FOREVER stops the timer.
///
/// *Differences*: the toolchain's library does not use the leeway. Here it delays a timer that fires
/// once by at most a second.
@_cdecl("dispatch_source_set_timer")
package func dispatchSourceSetTimer(
  _ source: Handle?, _ start: UInt64, _ interval: UInt64, _ leeway: UInt64
) {
  let call: StaticString = "dispatch_source_set_timer"
  Handles.source(source, call)._withUnsafeGuaranteedRef { source in
    if !source.takesSchedule {
      clientBug("\(call) on the \(source.kindName): only timers take a time.")
    }
    let isOnce = interval >= UInt64(Int64.max)
    let interval = max(interval, 1)
    source.schedule(
      .ofTimer(start), isOnce ? 0 : interval,
      leeway: min(leeway, isOnce ? longestLeeway : interval / 2))
  }
}

/// The largest leeway of a timer that fires once: a second, because programs pass enormous numbers
/// to the toolchain's library, which ignores them.
private let longestLeeway: UInt64 = 1_000_000_000

extension Deadline {
  /// The start of a timer. Unlike for a wait, "now" must become a definite time: the timer is due
  /// again an interval after it.
  fileprivate static func ofTimer(_ start: UInt64) -> Deadline {
    let wallNow = UInt64.max - 1
    if start == 0 { return Deadline(.uptime, Clock.uptime.now) }
    return start == wallNow ? Deadline(.wall, Clock.wall.now) : Deadline(encoded: start)
  }
}
