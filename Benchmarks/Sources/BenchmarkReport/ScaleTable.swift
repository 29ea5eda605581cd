public import BenchmarkRecord

/// One subject on so many processors, on both sides, in rounds.
public struct ScaleReading: Sendable {
  public let processors: Int
  public var signalbox: [Record]
  public var toolchain: [Record]

  public init(processors: Int, signalbox: [Record] = [], toolchain: [Record] = []) {
    self.processors = processors
    self.signalbox = signalbox
    self.toolchain = toolchain
  }
}

/// How both sides grow with the processors, as Markdown.
public enum ScaleTable {
  private static let sides: [(name: String, records: @Sendable (ScaleReading) -> [Record])] = [
    ("Signalbox", { $0.signalbox }), ("toolchain", { $0.toolchain }),
  ]

  /// A row a subject and side, a column a number of processors. Of a cost it shows millions of
  /// operations a second and how many times those with one processor the last column is; of a latency,
  /// microseconds.
  public static func markdown(_ rows: [[ScaleReading]]) -> String {
    let processors = rows.first?.map(\.processors) ?? []
    let heads = processors.map { $0 == 1 ? "1 processor" : "\($0)" }
    var lines = [
      line(["subject", "side"] + heads + ["growth"]),
      line(["---", "---"] + heads.map { _ in "---:" } + ["---:"]),
    ]
    for row in rows {
      guard let some = row.lazy.flatMap({ $0.signalbox + $0.toolchain }).first else { continue }
      let unit = some.unit == "ns" ? "millions a second" : some.unit
      for (side, records) in sides {
        let figures = row.map { figure(records($0)) }
        lines.append(
          line(
            ["\(some.title), \(unit)", side] + figures.map { $0.map(Table.number) ?? "failed" }
              + [growth(figures, some.unit)]))
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The median of the rounds.
  private static func figure(_ records: [Record]) -> Double? {
    guard let some = records.first else { return nil }
    let median = Quantiles(records.map(\.median)).median
    return some.unit == "ns" ? 1_000 / median : median
  }

  private static func growth(_ figures: [Double?], _ unit: String) -> String {
    guard unit == "ns", let first = figures.first ?? nil, let last = figures.last ?? nil else {
      return "–"
    }
    return "\(Table.digits(last / first, 2)) ×"
  }

  private static func line(_ cells: [String]) -> String {
    "| \(cells.joined(separator: " | ")) |"
  }
}
