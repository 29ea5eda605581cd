// SignalboxContinuousClock — the clock of our timers that goes on in suspension.

import SignalboxRuntime

/// The clock that goes on while the machine is suspended, with sleeps of our own. A sleep does
/// not wake a suspended machine: one that came due meanwhile ends once it runs again.
///
/// ```swift
/// try await Task.sleep(for: .seconds(1), clock: .signalboxContinuous)
/// ```
///
/// A cancelled sleep ends at once, and nothing is left of it: its timer is taken back. (A
/// cancelled `Task.sleep` of the language's own clocks ends at once too, but its job stays in
/// memory until the time has come.) A sleep costs one allocation; sleeps that are due at about
/// the same time share a wake-up.
///
/// *Beyond Apple's API.*
public struct SignalboxContinuousClock: _Concurrency.Clock {
  /// The clock; all of them are one.
  public init() {}

  /// A point on the clock, time for which the machine was suspended counted.
  public struct Instant: InstantProtocol {
    /// The time since the machine's start.
    public let sinceStart: Duration

    /// A point so long after the machine's start.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }

    /// The present time.
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

  /// The present time.
  public var now: Instant { .now }

  /// The present time.
  public static var now: Instant { .now }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until `deadline`: never shorter, and longer by `tolerance` at most if a core is
  /// idle then. No thread sleeps with the task. If the time has passed it lets others have
  /// their turn, and returns.
  ///
  /// - Parameters:
  ///   - deadline: when to go on; one that lies beyond 584 years is never reached.
  ///   - tolerance: how much later it may be, to share a wake-up with others; if nothing is
  ///     said, a hundredth of the time and a millisecond at most.
  /// - Throws: `CancellationError` if the task is cancelled, before the call or during it.
  public func sleep(
    until deadline: Instant, tolerance: Duration? = nil
  ) async throws {
    let nanoseconds = deadline.sinceStart.nanoseconds
    try await SleepWaiter.sleep(until: Deadline(.continuous, nanoseconds), tolerance: tolerance)
  }
}

extension _Concurrency.Clock where Self == SignalboxContinuousClock {
  /// The clock that goes on while the machine is suspended.
  public static var signalboxContinuous: SignalboxContinuousClock { SignalboxContinuousClock() }
}
