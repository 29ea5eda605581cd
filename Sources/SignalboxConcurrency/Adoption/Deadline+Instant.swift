// Deadline+Instant — converts instants of Swift's clocks to deadlines of the driver.

import SignalboxRuntime

extension Deadline {
  /// - Parameter instant: an instant of `clock`. The time that is left until then is added to
  ///   our own clock, which is read later, so the deadline is never early.
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
