// ReportedQueue — a queue in a report.

import SignalboxRuntime

extension SignalboxReport {
  /// A queue that holds items or is held by a thread.
  public struct Queue: Sendable {
    /// The queue's label.
    public let label: String
    /// The queue's kind.
    public let kind: Kind
    /// The label of the queue's target, if the program gave it one.
    public let target: String?
    /// How many items wait in the queue; nil if they come and go too fast to
    /// count. The item that runs is not included. A thread that waits in `sync`
    /// counts as one item, and so does another queue that waits to be drained and
    /// has this one as its target.
    public let count: Int?
    /// Whether the queue holds more items than ``count`` says.
    public let hasMore: Bool
    /// The least time that the oldest item has waited, in nanoseconds. It is
    /// known only if a waiting thread is among the items; otherwise nil.
    /// (Noting a time for each item would cost as much as the item itself.)
    public let oldest: UInt64?
    /// The number of the thread that drains the queue or runs on it
    /// exclusively; nil if there is none.
    public let owner: Int?
    /// How many items run on the queue concurrently.
    public let running: Int
    /// Whether the queue is suspended or inactive, so that it starts no item.
    public let isSuspended: Bool
    /// Whether the queue has not been activated yet.
    public let isInactive: Bool
    /// The owner's name in messages.
    private let ownerTitle: String?

    /// The kind of a queue.
    public enum Kind: String, Sendable, CaseIterable {
      /// The kinds of queues that a program can create or use.
      case serial, concurrent, main, global, workloop
    }

    /// - Parameters:
    ///   - depth: how many items, drain tasks of other queues and threads in `sync` are in its
    ///     list.
    ///   - owner: the number of the thread that owns it; 0 if there is none.
    package init(
      label: String, kind: Kind, target: String?, depth: ListDepth, oldest: UInt64?,
      owner: UInt32, running: Int, isSuspended: Bool, isInactive: Bool
    ) {
      self.label = label
      self.kind = kind
      self.target = target
      switch depth {
      case .exactly(let count): (self.count, hasMore) = (count, false)
      case .atLeast(let count): (self.count, hasMore) = (count, true)
      case .unknown: (count, hasMore) = (nil, false)
      }
      self.oldest = oldest
      self.owner = owner == 0 ? nil : Int(owner)
      ownerTitle = owner == 0 ? nil : ThreadName.of(owner)
      self.running = running
      self.isSuspended = isSuspended
      self.isInactive = isInactive
    }

    /// The queue's line in a report.
    var words: String {
      "the queue \(ReportWords.quoted(label)) (\(kind.rawValue)"
        + (target.map { ", with the target \(ReportWords.quoted($0))" } ?? "") + ") \(load)"
        + (doings.isEmpty ? "" : "; " + doings.joined(separator: "; "))
    }

    private var load: String {
      guard let count else { return "is served too fast for its items to be counted" }
      if count == 0 { return "holds no item" }
      return "holds \(hasMore ? "at least " : "")\(counted(count, "item"))"
        + (oldest.map { ", the oldest for \(WaitLength(nanoseconds: $0).words) or longer" } ?? "")
    }

    private var doings: [String] {
      var all: [String] = []
      if let ownerTitle { all.append("\(ownerTitle) serves it") }
      if running > 0 { all.append(counted(running, "item", one: "runs", many: "run") + " on it") }
      if isInactive { all.append("it is inactive") }
      if isSuspended { all.append("it is suspended") }
      if all.isEmpty { all.append("it waits to be served") }
      return all
    }
  }
}
