// SignalboxContinuousClock — a clock on our timers that continues while the machine is suspended.

import SignalboxRuntime

/// A clock that continues while the machine is suspended. Its sleeps use Signalbox's timers. A
/// sleep does not wake a suspended machine: if it becomes due meanwhile, it ends when the
/// machine runs again.
///
/// ```swift
/// try await Task.sleep(for: .seconds(1), clock: .signalboxContinuous)
/// ```
///
/// A cancelled sleep ends at once and removes its timer. (A cancelled `Task.sleep` on the
/// language's own clocks also ends at once, but its job stays in memory until the time has
/// passed.) A sleep costs one allocation; sleeps that are due at about the same time share
/// a wake-up.
///
/// *Beyond Apple's API.*
public struct SignalboxContinuousClock: _Concurrency.Clock {
  /// Creates the clock. All instances are the same clock.
  public init() {}

  /// A point on the clock, which counts the time for which the machine was suspended.
  public struct Instant: InstantProtocol {
    /// The time since boot.
    public let sinceStart: Duration

    /// Creates the point at this time after boot.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    /// The current time.
    public static var now: Instant {
      Instant(sinceStart: .nanoseconds(SignalboxRuntime.Clock.continuous.now))
    }

    public func advanced(by duration: Duration) -> Instant {
      Instant(sinceStart: sinceStart + duration)
    }

    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

    public static func < (left: Instant, right: Instant) -> Bool {
      left.sinceStart < right.sinceStart
    }
  }

  /// The current time.
  public var now: Instant { .now }

  /// The current time.
  public static var now: Instant { .now }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Suspends the task until `deadline`. The sleep never ends early, and ends at most `tolerance`
  /// late if a core is idle then. It blocks no thread. If the deadline has passed, the call yields
  /// to other tasks and returns.
  ///
  /// - Parameters:
  ///   - deadline: when to continue; a deadline more than 584 years away is never reached.
  ///   - tolerance: how much later the sleep may end, to share a wake-up with others. Without a
  ///     tolerance, the sleep ends late only if many sleeps and delayed items end at about the same
  ///     time, as with `asyncAfter`.
  /// - Throws: `CancellationError` if the task is cancelled before or during the call.
  public func sleep(
    until deadline: Instant, tolerance: Duration? = nil
  ) async throws {
    let nanoseconds = deadline.sinceStart.nanoseconds
    try await SleepWaiter.sleep(until: Deadline(.continuous, nanoseconds), tolerance: tolerance)
  }
}

extension _Concurrency.Clock where Self == SignalboxContinuousClock {
  /// A clock that continues while the machine is suspended.
  public static var signalboxContinuous: SignalboxContinuousClock { SignalboxContinuousClock() }
}
