// QueueReport — every queue that has something to do, as a report shows it.

package import SignalboxRuntime

package struct QueueReport: Sendable {
  package let label: String
  /// "serial", "concurrent", "main", "global" or "workloop".
  package let kind: String
  /// The label of its target, if it was given one.
  package let target: String?
  /// How many items, invitations of other queues and threads in `sync` stand in it.
  package let depth: ListDepth
  /// For how long, in nanoseconds, its oldest item has waited at least; nil if nothing says so.
  package let oldest: UInt64?
  /// The number of the thread that holds it; 0 if none does.
  package let owner: UInt32
  /// How many run beside each other on it.
  package let shared: Int
  package let isSuspended: Bool
  package let isInactive: Bool

  /// Each queue that holds items or is held, by label.
  ///
  /// - Parameter waits: who waits for what, as it was a moment ago.
  package static func all(_ waits: [WaitRecord.Snapshot]) -> [QueueReport] {
    // First: a fork from now on waits for the registry.
    _ = ForkedQueues.arranged
    // A thread in `sync` stands in the list, so whatever is first has waited as long.
    var oldest: [UInt: UInt64] = [:]
    for wait in waits where wait.reason == .sync {
      oldest[wait.object] = max(oldest[wait.object] ?? 0, wait.length.nanoseconds)
    }
    var budget = looksInAll
    return QueueRegistry.shared.glances.compactMap {
      QueueReport($0, oldest[$0.id], &budget)
    }.sorted { ($0.label, $0.kind) < ($1.label, $1.kind) }
  }

  /// Items looked at in one queue, and in one report: a few milliseconds at most for a queue.
  private static let looksAtOne = 10_000
  private static let looksInAll = 100_000

  package init(
    label: String, kind: String, target: String?, depth: ListDepth, oldest: UInt64?, owner: UInt32,
    shared: Int, isSuspended: Bool, isInactive: Bool
  ) {
    self.label = label
    self.kind = kind
    self.target = target
    self.depth = depth
    self.oldest = oldest
    self.owner = owner
    self.shared = shared
    self.isSuspended = isSuspended
    self.isInactive = isInactive
  }

  /// nil if by now it holds nothing and is not held.
  private init?(_ glance: QueueGlance, _ oldest: UInt64?, _ budget: inout Int) {
    let now = glance.state
    depth = QueueReport.depth(glance, &budget)
    if depth == .exactly(0) && !now.isOwned && !now.hasShared { return nil }
    label = glance.label
    kind = "\(glance.shape)"
    target = glance.target
    self.oldest = depth == .exactly(0) ? nil : oldest
    owner = now.owner
    shared = now.shared
    isSuspended = now.isSuspended
    isInactive = now.isInactive
  }

  private static func depth(_ glance: QueueGlance, _ budget: inout Int) -> ListDepth {
    var looks = min(looksAtOne, budget)
    let before = looks
    defer { budget -= before - looks }
    var depth = ListLook.depth(ofListAt: glance.list, &looks)
    guard glance.ordered != 0 else { return depth }
    for place in 0..<Band.count {
      let list = glance.ordered + UInt(place * MemoryLayout<ItemList>.stride)
      depth = depth + ListLook.depth(ofListAt: list, &looks)
    }
    return depth
  }
}

extension ListDepth {
  fileprivate static func + (a: ListDepth, b: ListDepth) -> ListDepth {
    switch (a, b) {
    case (.exactly(let a), .exactly(let b)): .exactly(a + b)
    case (.exactly(let a), .atLeast(let b)), (.atLeast(let a), .exactly(let b)),
      (.atLeast(let a), .atLeast(let b)):
      .atLeast(a + b)
    case (.unknown, _), (_, .unknown): .unknown
    }
  }
}
