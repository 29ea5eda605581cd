// QueueReport — every queue that has something to do, as reports show it.

package import SignalboxRuntime

package struct QueueReport: Sendable {
  package let label: String
  /// "serial", "concurrent", "main", "global" or "workloop".
  package let kind: String
  /// The label of its target, if it has one.
  package let target: String?
  /// How many items, invitations of other queues and threads in `sync` are in its list.
  package let depth: ListDepth
  /// The least time that its oldest item has waited, in nanoseconds; nil if it is unknown.
  package let oldest: UInt64?
  /// The number of its owner; 0 if there is none.
  package let owner: UInt32
  /// How many items run on shares.
  package let shared: Int
  package let isSuspended: Bool
  package let isInactive: Bool

  /// Each queue that holds items or is held, ordered by label.
  ///
  /// - Parameter waits: the waits under way, as they were a moment ago.
  package static func all(_ waits: [WaitRecord.Snapshot]) -> [QueueReport] {
    // First, so that a fork from now on waits for the registry.
    _ = ForkedQueues.arranged
    // A thread in `sync` is in the list, so the first item has waited at least as long.
    var oldest: [UInt: UInt64] = [:]
    for wait in waits where wait.reason == .sync {
      oldest[wait.object] = max(oldest[wait.object] ?? 0, wait.length.nanoseconds)
    }
    var budget = looksInAll
    return QueueRegistry.shared.snapshots.compactMap {
      QueueReport($0, oldest[$0.id], &budget)
    }.sorted { ($0.label, $0.kind) < ($1.label, $1.kind) }
  }

  /// The limits of items looked at in one queue and in one report: at most a few milliseconds for
  /// a queue.
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

  /// Returns nil if the queue is empty and not held by now.
  private init?(_ snapshot: QueueSnapshot, _ oldest: UInt64?, _ budget: inout Int) {
    let now = snapshot.state
    depth = QueueReport.depth(snapshot, &budget)
    if depth == .exactly(0) && !now.isOwned && !now.hasShared { return nil }
    label = snapshot.label
    kind = "\(snapshot.shape)"
    target = snapshot.target
    self.oldest = depth == .exactly(0) ? nil : oldest
    owner = now.owner
    shared = now.shared
    isSuspended = now.isSuspended
    isInactive = now.isInactive
  }

  private static func depth(_ snapshot: QueueSnapshot, _ budget: inout Int) -> ListDepth {
    var looks = min(looksAtOne, budget)
    let before = looks
    defer { budget -= before - looks }
    var depth = ListLook.depth(ofListAt: snapshot.list, &looks)
    guard snapshot.ordered != 0 else { return depth }
    for place in 0..<Band.count {
      let list = snapshot.ordered + UInt(place * MemoryLayout<ItemList>.stride)
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
