// PoolReader — reads the counts of the worker pools.

package struct SeenPool {
  /// The priority of its workers.
  package let tier: String
  package let ceiling: UInt64
  package let width: UInt64?
  package let workers: UInt64?
  package let running: UInt64?
  package let pending: UInt64?
  /// nil if the engine does not count.
  package let counts: SeenPoolCounts?
}

struct PoolReader {
  private let memory: TargetMemory
  private let table: EngineTable
  private let record: RecordLayout
  private let root: UInt64
  private let counts: RecordLayout?
  private let timers: RecordLayout?
  /// Where a pool's record holds the addresses of the counts of the pool and of the timers.
  private let links: RecordLayout?
  /// Where a pool's record holds the address of the number of watched descriptors.
  private let watches: RecordLayout?

  init?(_ table: EngineTable, _ memory: TargetMemory) {
    let fields = ["next", "tier", "ceiling", "width", "workers", "running", "pending"]
    guard let record = table.layout("pool", fields), let root = table.root("pool")
    else { return nil }
    self.memory = memory
    self.table = table
    self.record = record
    self.root = root.address
    counts = table.layout("pool counts", SeenPoolCounts.fields)
    timers = table.layout("timers", SeenTimers.fields)
    links = table.layout("pool", ["counts", "timers"])
    watches = table.layout("pool", ["watches"])
  }

  /// How late the timers were; nil if no pool is in use, or the engine does not say it.
  func readTimers() -> SeenTimers? {
    guard let first = memory.number(at: root), let links = links?.read(at: first, from: memory)
    else { return nil }
    return timers?.read(at: links["timers"], from: memory).map { SeenTimers($0) }
  }

  /// How many descriptors the engine watches; nil in the same cases.
  func readWatches() -> UInt64? {
    guard let first = memory.number(at: root), let links = watches?.read(at: first, from: memory)
    else { return nil }
    return memory.number(at: links["watches"])
  }

  /// The pools, from the highest priority to the lowest; empty if none is in use.
  func read() -> [SeenPool] {
    var pools: [SeenPool] = []
    var next = memory.number(at: root) ?? 0
    while next != 0, pools.count < Limits.pools, let record = record.read(at: next, from: memory) {
      func count(_ name: String) -> UInt64? { memory.number(at: record[name]) }
      let links = links?.read(at: next, from: memory)
      let counted = links.flatMap { counts?.read(at: $0["counts"], from: memory) }
      pools.append(
        SeenPool(
          tier: table.word("tier", for: record["tier"]) ?? "\(record["tier"])",
          ceiling: record["ceiling"], width: count("width"),
          workers: count("workers"), running: count("running"), pending: count("pending"),
          counts: counted.map { SeenPoolCounts($0) }))
      next = record["next"]
    }
    return pools
  }
}
