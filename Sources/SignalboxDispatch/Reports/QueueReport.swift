// QueueReport — every queue that has something to do, as reports show it.

import SignalboxDiagnostics
import SignalboxRuntime

extension SignalboxReport.Queue {
  /// Each queue that holds items or is held, ordered by label.
  ///
  /// - Parameter waits: the waits under way, as they were a moment ago.
  static func all(_ waits: [WaitRecord.Snapshot]) -> [SignalboxReport.Queue] {
    // First, so that a fork from now on waits for the registry.
    _ = ForkedQueues.arranged
    // A thread in `sync` is in the list, so the first item has waited at least as long.
    var oldest: [UInt: UInt64] = [:]
    for wait in waits where wait.reason == .sync {
      oldest[wait.object] = max(oldest[wait.object] ?? 0, wait.length.nanoseconds)
    }
    var budget = looksInAll
    return QueueRegistry.shared.snapshots.compactMap {
      SignalboxReport.Queue($0, oldest[$0.id], &budget)
    }.sorted { ($0.label, $0.kind.rawValue) < ($1.label, $1.kind.rawValue) }
  }

  /// The limits of items looked at in one queue and in one report: at most a few milliseconds for
  /// a queue.
  private static let looksAtOne = 10_000
  private static let looksInAll = 100_000

  /// Returns nil if the queue is empty and not held by now.
  private init?(_ snapshot: QueueSnapshot, _ oldest: UInt64?, _ budget: inout Int) {
    let now = snapshot.state
    let depth = SignalboxReport.Queue.depth(snapshot, &budget)
    if depth == .exactly(0) && !now.isOwned && !now.hasShared { return nil }
    self.init(
      label: snapshot.label, kind: Kind(rawValue: "\(snapshot.shape)") ?? .serial,
      target: snapshot.target, depth: depth, oldest: depth == .exactly(0) ? nil : oldest,
      owner: now.owner, running: now.shared, isSuspended: now.isSuspended,
      isInactive: now.isInactive)
  }

  private static func depth(_ snapshot: QueueSnapshot, _ budget: inout Int) -> ListDepth {
    var looks = min(looksAtOne, budget)
    let before = looks
    defer { budget -= before - looks }
    var depth = ListLook.depth(ofListAt: snapshot.list, &looks)
    guard snapshot.ordered != 0 else { return depth }
    for band in 0..<Band.count {
      let list = snapshot.ordered + UInt(band * MemoryLayout<ItemList>.stride)
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
