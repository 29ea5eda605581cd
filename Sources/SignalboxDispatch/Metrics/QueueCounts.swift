// QueueCounts — what a queue has counted, and the sums of all queues. See `OwnerCounts`.

import SignalboxRuntime

struct QueueCounts {
  var runs: UInt64 = 0
  var turns: UInt64 = 0
  var waits: UInt64 = 0

  init() {}

  init(_ record: QueueRecord.Pointer) {
    runs = record.pointee.list.counts.runs.load()
    turns = record.pointee.list.counts.turns.load()
    waits = record.pointee.list.counts.waits.load()
  }

  mutating func add(_ other: QueueCounts) {
    runs &+= other.runs
    turns &+= other.turns
    waits &+= other.waits
  }

  /// Describes, to readers in other processes, the sums of the queues that have ended.
  ///
  /// - Parameter start: where they are in the structure of a list.
  static func describe(at start: Int?) {
    guard let start, let runs = MemoryLayout<QueueCounts>.offset(of: \.runs),
      let turns = MemoryLayout<QueueCounts>.offset(of: \.turns),
      let waits = MemoryLayout<QueueCounts>.offset(of: \.waits)
    else { return }
    OutsideTable.number("queues", "runs", at: start + runs, size: 8)
    OutsideTable.number("queues", "turns", at: start + turns, size: 8)
    OutsideTable.number("queues", "waits", at: start + waits, size: 8)
  }
}
