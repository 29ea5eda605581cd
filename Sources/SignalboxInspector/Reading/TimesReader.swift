// TimesReader — reads how long the items of queues waited and ran, if the process measures it.
//
// The rows are read between two readings of the count of their changes.

struct TimesReader {
  private let memory: TargetMemory
  private let table: EngineTable
  private let row: RecordLayout
  private let rows: (address: UInt64, count: Int)
  private let changes: UInt64
  private let stride: UInt64
  private let waits: UInt64
  private let runs: UInt64
  private let buckets: Int
  private let perOctave: Int

  struct Times {
    var times: [SeenTimes] = []
    /// Whether the use of rows changed during every attempt.
    var isTorn = false
  }

  /// nil if the process has never measured.
  init?(_ table: EngineTable, _ memory: TargetMemory) {
    let fields = ["use", "object", "kind", "label", "most waiting", "unmeasured"]
    func constant(_ name: String) -> UInt64? { table.constant("times layout", name) }
    guard let row = table.layout("times", fields), let rows = table.root("times"),
      let changes = table.root("times changes"), let stride = constant("stride"),
      let waits = constant("waits"), let runs = constant("runs"), let buckets = constant("buckets"),
      let perOctave = constant("per octave"), rows.count <= Limits.timeRows,
      (1...UInt64(Limits.timeBuckets)).contains(buckets), (1...64).contains(perOctave),
      // Every bound of a bucket must fit in 64 bits.
      perOctave.nonzeroBitCount == 1,
      buckets / perOctave + UInt64(perOctave.trailingZeroBitCount) < 64
    else { return nil }
    self.memory = memory
    self.table = table
    self.row = row
    self.rows = rows
    self.changes = changes.address
    self.stride = stride
    self.waits = waits
    self.runs = runs
    self.buckets = Int(buckets)
    self.perOctave = Int(perOctave)
  }

  func read() -> Times {
    var last: [SeenTimes] = []
    for _ in 0..<Limits.attempts {
      guard let before = memory.number(at: changes) else { break }
      last = (0..<rows.count).compactMap { times(at: rows.address &+ stride &* UInt64($0)) }
      if before % 2 == 0, memory.number(at: changes) == before { return Times(times: last) }
    }
    return Times(times: last, isTorn: true)
  }

  /// nil for a row that nobody uses.
  private func times(at address: UInt64) -> SeenTimes? {
    guard let record = row.read(at: address, from: memory),
      let use = table.word("times use", for: record["use"]),
      let scope = SeenTimes.Scope(rawValue: use),
      let waits = histogram(at: address &+ waits), let runs = histogram(at: address &+ runs)
    else { return nil }
    let times = SeenTimes(
      scope: scope, object: record["object"],
      kind: scope == .others ? "" : table.word("times kind", for: record["kind"]) ?? "serial",
      label: label(record), mostWaiting: record["most waiting"], unmeasured: record["unmeasured"],
      waits: waits, runs: runs)
    // The row for the sum of all others exists even if nothing was added to it.
    let isUsed = waits.count != 0 || runs.count != 0 || times.unmeasured != 0
    return scope != .others || isUsed ? times : nil
  }

  private func histogram(at address: UInt64) -> SeenHistogram? {
    guard let bytes = memory.bytes(at: address, count: (buckets + 2) * 8) else { return nil }
    func word(_ index: Int) -> UInt64 { TargetMemory.number(bytes, at: index * 8, size: 8) }
    return SeenHistogram(
      perOctave: perOctave, buckets: (0..<buckets).map { word($0 + 2) }, sum: word(0),
      longest: word(1))
  }

  private func label(_ record: Record) -> String {
    let bytes = (0..<record.count("label")).flatMap { index in
      (0..<8).map { UInt8(truncatingIfNeeded: record.word("label", index) >> UInt64($0 * 8)) }
    }
    return DisplayText.make(bytes.prefix { $0 != 0 }.map { $0 }, isCut: false)
  }
}
