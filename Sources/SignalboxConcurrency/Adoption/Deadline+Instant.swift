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
