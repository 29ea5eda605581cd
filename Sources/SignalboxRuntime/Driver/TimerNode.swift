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
  /// The latest time at which it fires, if the machine has a core for it. Between the two
  /// it may wait to share a wake-up with other timers.
  package internal(set) var latest: UInt64
  package internal(set) var clock: Clock
  /// Whether it is the first field of a `RepeatingTimer`.
  package let isRepeating: Bool
  /// What it is used for, for reports.
  package let purpose: Purpose
  /// The poller calls this with the timer's address when the timer is due; it must not
  /// wait.
  package let function: Function
  /// The index in the heap; -1 if the timer is in none.
  var place = -1
  /// Orders timers with the same latest time in the order in which they were set.
  var sequence: UInt64 = 0

  package init(
    _ deadline: Deadline, leeway: UInt64 = 0, _ function: @escaping Function,
    isRepeating: Bool = false, for purpose: Purpose = .other
  ) {
    self.deadline = deadline.nanoseconds
    self.clock = deadline.clock
    self.function = function
    self.isRepeating = isRepeating
    self.purpose = purpose
    latest = deadline.nanoseconds.saturatingAdd(leeway)
  }

  /// What a timer is used for, and so which record it begins.
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
