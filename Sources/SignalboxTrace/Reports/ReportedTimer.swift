// ReportedTimer — a pending timer as a report shows it.

package import SignalboxRuntime

extension SignalboxReport {
  /// A pending timer.
  public struct Timer: Sendable {
    /// Nanoseconds until it is due; negative if it is late.
    public let dueIn: Int64
    /// Nanoseconds that it may be later than that.
    public let leeway: UInt64
    /// Nanoseconds between two times at which it is due; 0 if it is due once.
    public let interval: UInt64
    /// The clock that its date is on.
    public let clock: Clock
    /// What it is for.
    public let purpose: Purpose
    /// The label of the queue on which something is to run, where there is one.
    public let queue: String?

    /// On which clock it is due.
    public enum Clock: String, Sendable, CaseIterable {
      /// Time since the start of the system, without suspension; the time of day; time since the
      /// start with suspension.
      case uptime, wall, continuous
    }

    /// What it is for.
    public enum Purpose: String, Sendable, CaseIterable {
      /// An item of `asyncAfter`.
      case item
      /// A timer source.
      case source
      /// The sleep of a task.
      case sleep
      /// Something else.
      case other
    }

    package init(_ timer: PendingTimer) {
      dueIn = timer.dueIn
      leeway = timer.leeway
      interval = timer.interval
      queue = timer.queue
      switch timer.clock {
      case .uptime: clock = .uptime
      case .wall: clock = .wall
      case .continuous: clock = .continuous
      }
      switch timer.purpose {
      case .item: purpose = .item
      case .source: purpose = .source
      case .sleep: purpose = .sleep
      case .other: purpose = .other
      }
    }

    /// Its line in a report.
    package var words: String {
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
