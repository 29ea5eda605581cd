// ReportedTimer — a pending timer in a report.

import SignalboxRuntime

extension SignalboxReport {
  /// A pending timer.
  public struct Timer: Sendable {
    /// Nanoseconds until the timer is due, negative if it is late.
    public let dueIn: Int64
    /// How many nanoseconds later the timer may fire.
    public let leeway: UInt64
    /// The interval of a repeating timer, in nanoseconds; 0 for a one-shot
    /// timer.
    public let interval: UInt64
    /// The clock of the timer's deadline.
    public let clock: Clock
    /// The timer's purpose.
    public let purpose: Purpose
    /// The label of the queue on which the timer's work runs, if there is one.
    public let queue: String?

    /// The clock of a timer's deadline.
    public enum Clock: String, Sendable, CaseIterable {
      /// Time since boot, without suspension; the time of day; time since boot,
      /// with suspension.
      case uptime, wall, continuous
    }

    /// The purpose of a timer.
    public enum Purpose: String, Sendable, CaseIterable {
      /// An item submitted with `asyncAfter`.
      case item
      /// A timer source.
      case source
      /// A sleeping task.
      case sleep
      /// Another purpose.
      case other
    }

    package init(
      dueIn: Int64, leeway: UInt64, interval: UInt64, clock: Clock, purpose: Purpose,
      queue: String?
    ) {
      self.dueIn = dueIn
      self.leeway = leeway
      self.interval = interval
      self.clock = clock
      self.purpose = purpose
      self.queue = queue
    }

    /// The timer's line in a report.
    var words: String {
      let length = WaitLength(nanoseconds: dueIn.magnitude).words
      let due = dueIn < 0 ? "was due \(length) ago" : "is due in \(length)"
      return "a timer \(due)" + (interval == 0 ? "" : " and repeats every \(words(of: interval))")
        + ", for \(purpose.words)" + (queue.map { " on the queue \(ReportWords.quoted($0))" } ?? "")
    }

    private func words(of length: UInt64) -> String { WaitLength(nanoseconds: length).words }
  }
}

extension SignalboxReport.Timer.Purpose {
  fileprivate var words: String {
    switch self {
    case .item: "an item"
    case .source: "a timer source"
    case .sleep: "the sleep of a task"
    case .other: "something else"
    }
  }
}
