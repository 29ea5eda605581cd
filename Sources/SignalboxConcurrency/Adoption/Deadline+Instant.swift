// Deadline+Instant — instants of Swift's clocks as the driver has them.

import SignalboxRuntime

extension Deadline {
  /// - Parameter instant: of the clock `clock`; what it is from now is set upon our own, which
  ///   is read later: it is never early.
  init<C: _Concurrency.Clock>(_ instant: C.Instant, of clock: C) {
    guard let left = clock.now.duration(to: instant) as? Swift.Duration else {
      clientBug(
        "a job was enqueued on Signalbox's pool at an instant of \(C.self), whose durations are "
          + "of another type than Swift.Duration: use ContinuousClock or SuspendingClock, or let "
          + "the clock sleep by itself.")
    }
    let own: SignalboxRuntime.Clock = clock is SuspendingClock ? .uptime : .continuous
    self.init(own, own.now.saturatingAdd(left.nanoseconds))
  }
}

extension Swift.Duration {
  /// In whole nanoseconds, rounded up; 0 where it is negative, and the most where it is more.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if overflows { return .max }
    return whole.saturatingAdd((UInt64(attoseconds) + 999_999_999) / 1_000_000_000)
  }
}
