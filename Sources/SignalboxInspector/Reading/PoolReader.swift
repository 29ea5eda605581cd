// PoolReader — reads the counts of the worker pools.

package struct SeenPool {
  /// The priority of its workers.
  package let tier: String
  package let ceiling: UInt64
  package let width: UInt64?
  package let workers: UInt64?
  package let running: UInt64?
  package let pending: UInt64?
}

struct PoolReader {
  private let memory: TargetMemory
  private let table: EngineTable
  private let record: RecordLayout
  private let root: UInt64

  init?(_ table: EngineTable, _ memory: TargetMemory) {
    let fields = ["next", "tier", "ceiling", "width", "workers", "running", "pending"]
    guard let record = table.layout("pool", fields), let root = table.root("pool")
    else { return nil }
    self.memory = memory
    self.table = table
    self.record = record
    self.root = root.address
  }

  /// The pools, from the highest priority to the lowest; empty if none is in use.
  func read() -> [SeenPool] {
    var pools: [SeenPool] = []
    var next = memory.number(at: root) ?? 0
    while next != 0, pools.count < Limits.pools, let record = record.read(at: next, from: memory) {
      func count(_ name: String) -> UInt64? { memory.number(at: record[name]) }
      pools.append(
        SeenPool(
          tier: table.word("tier", for: record["tier"]) ?? "\(record["tier"])",
          ceiling: record["ceiling"], width: count("width"),
          workers: count("workers"), running: count("running"), pending: count("pending")))
      next = record["next"]
    }
    return pools
  }
}
