// TimerNode — one timer: when it fires, how late it may fire, and what it calls.
//
// Touching    under the driver's lock while it is pending; otherwise by the owner of its
//             memory.

/// The address of a timer, which is at the start of its owner's memory.
package typealias TimerPointer = UnsafeMutablePointer<TimerNode>

@frozen
package struct TimerNode {
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// The earliest time at which it fires, in nanoseconds on `clock`.
  package internal(set) var deadline: UInt64
  /// The latest time at which it fires, if the machine has a core for it. Between `deadline` and
  /// this time it may wait to share a wake-up with other timers; with the usual leeway, only if the
  /// `WakeUpBudget` is spent.
  package internal(set) var latest: UInt64
  package internal(set) var clock: Clock
  /// Whether the leeway is the usual one, as for `asyncAfter`. The timer of a source has a given
  /// leeway: 0 if the program states none.
  let hasUsualLeeway: Bool
  /// What it is used for. The node of a source is the first field of a `SourceTimer`.
  package let purpose: Purpose
  /// The poller calls this with the timer's address when the timer is due; it must not
  /// wait.
  package let function: Function
  /// The index in the heap; -1 if the timer is in no heap.
  var heapIndex = -1
  /// Orders timers with the same latest time in the order in which they were set.
  var sequence: UInt64 = 0

  package init(
    _ deadline: Deadline, leeway: Leeway = .given(0), _ function: @escaping Function,
    for purpose: Purpose = .other
  ) {
    self.deadline = deadline.nanoseconds
    self.clock = deadline.clock
    self.function = function
    self.purpose = purpose
    (latest, hasUsualLeeway) =
      switch leeway {
      case .given(let leeway): (deadline.nanoseconds.saturatingAdd(leeway), false)
      case .usual(let now): (TimerNode.usualLatest(deadline.nanoseconds, from: now), true)
      }
  }

  /// How much later than its deadline a timer may fire.
  package enum Leeway {
    /// As many nanoseconds as the program gave.
    case given(UInt64)
    /// The leeway of a call that takes none, such as `asyncAfter`, or of a sleep without a
    /// tolerance: a hundredth of the delay, at most a millisecond. `from` is the time at which the
    /// program set the timer.
    case usual(from: UInt64)

    /// The usual leeway of a timer that is set now. If the deadline is far away, the leeway is the
    /// whole millisecond. The coarse clock is precise enough to see that, and reading it takes a
    /// quarter of the time.
    package static func usual(until deadline: Deadline) -> Leeway {
      if deadline.clock == .uptime {
        let now = Clock.coarseUptime
        if deadline.nanoseconds > now.saturatingAdd(far) { return .usual(from: now) }
      }
      return .usual(from: deadline.clock.now)
    }

    /// In nanoseconds; much longer than the delay for which the leeway reaches its maximum.
    private static let far: UInt64 = 500_000_000
  }

  private static func usualLatest(_ deadline: UInt64, from now: UInt64) -> UInt64 {
    deadline.saturatingAdd(deadline <= now ? 0 : min((deadline - now) / 100, 1_000_000))
  }

  /// What a timer is used for, and so in which structure it is the first field.
  package enum Purpose: UInt8, Sendable {
    /// A delayed item, a timer source, the sleep of a task, or something else.
    case item, source, sleep, other
  }

  /// Sets when the timer is due. The timer must not be pending.
  package mutating func set(_ deadline: Deadline, leeway: UInt64) {
    self.deadline = deadline.nanoseconds
    clock = deadline.clock
    latest = deadline.nanoseconds.saturatingAdd(leeway)
  }
}

extension UInt64 {
  package func saturatingAdd(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
