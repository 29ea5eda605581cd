// QueueLists — the addresses of a queue's lists, by which a report counts the items without a
// reference to the queue.

import SignalboxDiagnostics
import SignalboxRuntime

struct QueueLists {
  /// The address of the queue's list, for `ListLook`; 0 if its items are not this process's.
  private let list: UInt
  /// The address of a workloop's ordered lists; 0 for other queues.
  private let ordered: UInt

  /// Reads the record. The caller holds the lock of the registry's list.
  init(_ record: QueueRecord.Pointer) {
    list =
      QueueLists.isLeftByParent(record)
      ? 0 : withUnsafePointer(to: record.pointee.list) { UInt(bitPattern: $0) }
    ordered = record.pointee.ordered
  }

  /// Whether this process has not used the queue since it was forked. The queue then holds the
  /// parent's items.
  static func isLeftByParent(_ record: QueueRecord.Pointer) -> Bool {
    // order: relaxed; a report's hint, as in `DispatchQueue.isLeftByParent`.
    Fork.hasHappened && record.pointee.head.forkCount.load(ordering: .relaxed) != Fork.count
  }

  /// The maximum number of items that a report reads in one queue, which takes a few milliseconds
  /// at most.
  private static let looksAtOne = 10_000

  /// How many items the queue holds.
  ///
  /// - Parameter budget: how many more items may be looked at. Subtracts those that this call
  ///   looked at.
  func depth(_ budget: inout Int) -> ListDepth {
    if list == 0 { return .exactly(0) }
    var looks = min(QueueLists.looksAtOne, budget)
    let before = looks
    defer { budget -= before - looks }
    return ListLook.depth(ofListsAt: [list] + bands, &looks)
  }

  private var bands: [UInt] {
    if ordered == 0 { return [] }
    return (0..<Band.count).map { ordered + UInt($0 * MemoryLayout<ItemList>.stride) }
  }
}
