// QueueReport — every queue that has something to do, as reports show it.

import SignalboxDiagnostics
import SignalboxRuntime

extension SignalboxReport.Queue {
  /// Each queue that holds items or is held, ordered by label. Omits queues that end in the
  /// meantime.
  ///
  /// - Parameter waits: the waits under way, as they were a moment ago.
  static func all(_ waits: [WaitRecord.Snapshot]) -> [SignalboxReport.Queue] {
    // Do this first, so that every fork from now on waits for the registry.
    _ = ForkedQueues.arranged
    // A thread in `sync` is in the list, so the first item has waited at least as long.
    var oldest: [UInt: UInt64] = [:]
    for wait in waits where wait.reason == .sync {
      oldest[wait.object] = max(oldest[wait.object] ?? 0, wait.length.nanoseconds)
    }
    var budget = looksInAll
    let found = QueueRegistry.shared.snapshots.compactMap { snapshot in
      SignalboxReport.Queue(snapshot, oldest[snapshot.id], &budget).map { (snapshot.id, $0) }
    }
    // A queue may have ended since its snapshot. If its memory became that of another queue before
    // the items were counted, the number is the other queue's.
    let labels = QueueRegistry.shared.labels
    return found.filter { id, queue in labels[id] == queue.label }.map(\.1)
      .sorted { ($0.label, $0.kind.rawValue) < ($1.label, $1.kind.rawValue) }
  }

  /// The maximum number of items that one report reads.
  private static let looksInAll = 100_000

  /// Returns nil if the queue is now empty and no thread holds it.
  private init?(_ snapshot: QueueSnapshot, _ oldest: UInt64?, _ budget: inout Int) {
    let now = snapshot.state
    let depth = snapshot.lists.depth(&budget)
    if depth == .exactly(0) && !now.isOwned && !now.hasShared { return nil }
    self.init(
      label: snapshot.label, kind: Kind(rawValue: "\(snapshot.shape)") ?? .serial,
      target: snapshot.target, depth: depth, oldest: depth == .exactly(0) ? nil : oldest,
      owner: now.owner, running: now.shared, isSuspended: now.isSuspended,
      isInactive: now.isInactive)
  }
}
