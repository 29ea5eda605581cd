// ReportedOperations — the operations of one queue in a report.

import SignalboxRuntime

extension SignalboxReport {
  /// An operation queue that contains operations.
  public struct OperationQueue: Sendable {
    /// The queue's name.
    public let name: String
    /// How many operations it contains, including barriers.
    public let count: Int
    /// How many of them have begun.
    public let running: Int
    /// Whether the queue is suspended and starts no operation.
    public let isSuspended: Bool
    /// The first hundred operations, in the order in which they were added.
    public let operations: [Operation]

    package init(
      name: String, count: Int, running: Int, isSuspended: Bool, operations: [Operation]
    ) {
      self.name = name
      self.count = count
      self.running = running
      self.isSuspended = isSuspended
      self.operations = operations
    }

    /// The report's lines: one for the queue and one for each operation.
    var lines: [String] {
      let own =
        "the operation queue \(ReportWords.quoted(name)) has \(counted(count, "operation")), "
        + begun + (isSuspended ? "; it is suspended" : "")
      let more = count - operations.count
      return [own] + operations.map(\.words)
        + (more > 0 ? ["and \(counted(more, "more operation"))"] : [])
    }

    private var begun: String {
      if count == 1 { return running == 0 ? "which has not begun" : "which has begun" }
      if running == 0 { return "none of which has begun" }
      return "\(running) of which \(running == 1 ? "has" : "have") begun"
    }
  }

  /// An unfinished operation.
  public struct Operation: Sendable {
    /// The operation's name in messages: "the operation "thumbnails"
    /// (ThumbnailOperation)".
    public let title: String
    /// The operation's state.
    public let state: State
    /// Whether it was cancelled.
    public let isCancelled: Bool
    /// How many operations it waits for.
    public let unfinished: Int
    /// The titles of the first eight operations that it waits for.
    public let waitsFor: [String]

    /// The state of an unfinished operation.
    public enum State: String, Sendable, CaseIterable {
      /// The operation waits for its dependencies.
      case waiting
      /// The operation is ready and waits for its turn.
      case ready
      /// A worker runs the operation.
      case running
      /// The operation has begun and its `start()` has returned, but it is not
      /// finished.
      case inFlight
    }

    package init(
      title: String, state: State, isCancelled: Bool, unfinished: Int, waitsFor: [String]
    ) {
      self.title = title
      self.state = state
      self.isCancelled = isCancelled
      self.unfinished = unfinished
      self.waitsFor = waitsFor
    }

    /// The operation's line in a report.
    var words: String {
      let more = unfinished - waitsFor.count
      let others =
        waitsFor.isEmpty
        ? counted(more, "operation")
        : waitsFor.map(ReportWords.onOneLine).joined(separator: ", ")
          + (more > 0 ? " and \(more) more" : "")
      return ReportWords.onOneLine(title) + (isCancelled ? ", which was cancelled," : "")
        + (state == .waiting && unfinished > 0 ? " waits for \(others)" : state.words)
    }
  }
}

extension SignalboxReport.Operation.State {
  fileprivate var words: String {
    switch self {
    case .waiting: " waits"
    case .ready: " is ready, and waits for its turn"
    case .running: " runs"
    case .inFlight: " has begun and is not finished"
    }
  }
}
