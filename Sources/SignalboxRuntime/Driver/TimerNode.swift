// TimerNode — one timer: when, how late at most, and what is called.
//
// Touching    under the driver's lock while it is pending; otherwise whoever owns its
//             memory.

/// The address of a timer at the head of its memory.
package typealias TimerPointer = UnsafeMutablePointer<TimerNode>

@frozen
package struct TimerNode {
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// Nanoseconds on `clock`: not before then.
  package internal(set) var deadline: UInt64
  /// And not after, if the machine has a core for it: what lies between is the time in
  /// which it may wait for others to come due.
  package internal(set) var latest: UInt64
  package internal(set) var clock: Clock
  /// Whether it is the head of a `RepeatingTimer`.
  let isRepeating: Bool
  /// What it is for, for reports.
  package let purpose: Purpose
  /// Called with the timer's address once it is due, by the poller; must not wait.
  package let function: Function
  /// Where it stands in the heap; -1 when it is in none.
  var place = -1
  /// Orders timers that are due at the same time as they were set.
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

  /// Of what record it is the head, for who knows that record.
  package enum Purpose: UInt8, Sendable {
    /// A delayed item, a timer source, the sleep of a task, or something else.
    case item, source, sleep, other
  }

  /// Sets when it is due. It must be pending nowhere.
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
