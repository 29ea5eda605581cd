// SeenCounts — what an engine has counted, as it was read. See `OwnerCounts` and outside.h of the engine.

/// What a queue has counted, or all queues of a list that have ended.
package struct SeenCounts: Equatable {
  static let fields = ["runs", "turns", "waits"]

  /// How many items have begun.
  package var runs: UInt64 = 0
  /// How many calls of `sync` have had the queue to themselves.
  package var turns: UInt64 = 0
  /// How many calls of `sync` have waited in the queue.
  package var waits: UInt64 = 0

  init() {}

  /// nil if the engine does not count.
  init?(_ record: Record, _ areThere: Bool) {
    guard areThere else { return nil }
    runs = record["runs"]
    turns = record["turns"]
    waits = record["waits"]
  }

  mutating func add(_ other: SeenCounts) {
    runs &+= other.runs
    turns &+= other.turns
    waits &+= other.waits
  }
}

/// What a pool has counted.
package struct SeenPoolCounts {
  static let fields = ["parked", "blocked", "counted_out", "started", "replaced", "stolen"]

  package let parked: UInt64
  package let blocked: UInt64
  package let stalled: UInt64
  package let started: UInt64
  package let replaced: UInt64
  package let stolen: UInt64

  init(_ record: Record) {
    parked = record["parked"]
    blocked = record["blocked"]
    stalled = record["counted_out"]
    started = record["started"]
    replaced = record["replaced"]
    stolen = record["stolen"]
  }
}

/// How many timers are pending, and how late earlier ones were, in nanoseconds.
package struct SeenTimers {
  static let fields = ["armed", "fired", "late", "latest"]

  /// How many are pending.
  package let armed: UInt64
  package let fired: UInt64
  package let late: UInt64
  package let latest: UInt64

  init(_ record: Record) {
    armed = record["armed"]
    fired = record["fired"]
    late = record["late"]
    latest = record["latest"]
  }
}
