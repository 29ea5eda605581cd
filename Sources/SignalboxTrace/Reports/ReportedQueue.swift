// ReportedQueue — a queue as a report shows it.

package import SignalboxDispatch
import SignalboxRuntime

extension SignalboxReport {
  /// A queue that holds items or is held by a thread.
  public struct Queue: Sendable {
    /// Its label.
    public let label: String
    /// Which kind of queue it is.
    public let kind: Kind
    /// The label of its target, if it was given one.
    public let target: String?
    /// How many items stand in it; nil if they come and go too fast to be counted. The one that
    /// runs is not among them. A queue that waits to be served counts as one in its target, and
    /// a thread that waits in `sync` as one.
    public let count: Int?
    /// Whether there are more than ``count`` says.
    public let hasMore: Bool
    /// For how many nanoseconds the oldest of them has waited at least, where a thread stands
    /// among them, of which that is known; nil where nothing says so. (To note a time with each
    /// item would cost what an item costs.)
    public let oldest: UInt64?
    /// The number of the thread that serves it, or runs alone on it; nil if none does.
    public let owner: Int?
    /// How many run on it side by side.
    public let running: Int
    /// Whether it was suspended, or not yet activated: nothing is started.
    public let isSuspended: Bool
    /// Whether it was not activated yet.
    public let isInactive: Bool
    /// How messages call the owner.
    private let ownerTitle: String?

    /// What kind of queue it is.
    public enum Kind: String, Sendable, CaseIterable {
      /// The kinds, as the program makes them.
      case serial, concurrent, main, global, workloop
    }

    package init(_ queue: QueueReport) {
      label = queue.label
      kind = Kind(rawValue: queue.kind) ?? .serial
      target = queue.target
      switch queue.depth {
      case .exactly(let count): (self.count, hasMore) = (count, false)
      case .atLeast(let count): (self.count, hasMore) = (count, true)
      case .unknown: (count, hasMore) = (nil, false)
      }
      oldest = queue.oldest
      owner = queue.owner == 0 ? nil : Int(queue.owner)
      ownerTitle = queue.owner == 0 ? nil : ThreadName.of(queue.owner)
      running = queue.shared
      isSuspended = queue.isSuspended
      isInactive = queue.isInactive
    }

    /// Its line in a report.
    package var words: String {
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
