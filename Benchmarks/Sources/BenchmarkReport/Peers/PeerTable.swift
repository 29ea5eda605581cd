/// The comparison with the peers as Markdown: the times, and what an operation costs besides.
public enum PeerTable {
  private static let languages = ["Go", "Rust", "C++"]

  public static func markdown(_ results: Results) -> String {
    let rows = results.peers ?? []
    return [caption(results.machine, rows), times(rows), costs(rows)].joined(separator: "\n\n")
  }

  /// Every side of every row, for a run too short to judge by.
  public static func plain(_ rows: [PeerComparison]) -> String {
    rows.map { row in
      "\(row.name): "
        + row.readings.map { "\($0.side.library) \(time($0.median))" }.joined(separator: ", ")
    }.joined(separator: "\n")
  }

  private static func caption(_ machine: Machine, _ rows: [PeerComparison]) -> String {
    let dates = Set(rows.map(\.date)).sorted()
    let rounds = rows.flatMap(\.readings).map(\.rounds).max() ?? 0
    return """
      \(machine.processor), \(machine.cores) cores, \(machine.architecture), \
      Linux \(machine.kernel); \(dates.joined(separator: ", ")); up to \(rounds) rounds. \
      A time is the median of the rounds, the ratio the median of the rounds' ratios of Signalbox \
      to the best peer, each with its quartiles in brackets. \(Table.aboutLines)
      """
  }

  private static func times(_ rows: [PeerComparison]) -> String {
    var lines = header(["best peer", "ratio", "goal", "met", "line"])
    for row in rows {
      lines.append(
        line(row, timeCell) + """
           \(row.best?.side.library ?? "–") | \(ratio(row)) \
          | ≤ \(Table.digits(PeerComparison.goal, 2)) | \(verdict(row)) | \(Table.line(row.transfer)) |
          """)
    }
    return lines.joined(separator: "\n")
  }

  private static func costs(_ rows: [PeerComparison]) -> String {
    let all = rows.flatMap(\.readings)
    let missing =
      (all.contains { $0.instructions != nil } ? [] : ["instructions"])
      + (all.contains { $0.systemCalls != nil } ? [] : ["system calls"])
    let lines = header([]) + rows.map { line($0, costCell) }
    return """
      Processor time an operation, user and system, of all threads, and what was counted.\
      \(missing.isEmpty ? "" : " Here `perf` counted no \(missing.joined(separator: " and no ")).")

      \(lines.joined(separator: "\n"))
      """
  }

  private static func header(_ more: [String]) -> [String] {
    let columns = ["row", "Signalbox"] + languages + more
    return [
      "| \(columns.joined(separator: " | ")) |",
      "| --- |" + String(repeating: " ---: |", count: 1 + languages.count)
        + String(repeating: " --- |", count: more.count),
    ]
  }

  /// The row's name and a cell a side, up to the last cell's end.
  private static func line(
    _ row: PeerComparison, _ cell: (PeerReading) -> String
  ) -> String {
    let title = PeerRow.all.first { $0.name == row.row }?.title ?? row.row
    let cells = languages.map { language in
      let libraries = row.peers.filter { $0.side.language == language }.map { reading in
        (reading.side.library == language ? "" : "\(reading.side.library) ") + cell(reading)
      }
      return libraries.isEmpty ? "–" : libraries.joined(separator: "<br>")
    }
    let ours = row.signalbox.map(cell) ?? "failed"
    return "| [\(title)](#\(row.row))\(row.pinned ? ", pinned" : "") | "
      + ([ours] + cells).joined(separator: " | ") + " |"
  }

  private static func timeCell(_ reading: PeerReading) -> String {
    guard reading.rounds > 1 else { return time(reading.median) }
    let scale = reading.median < microseconds ? 1.0 : 1_000
    let quartiles = [reading.lowerQuartile, reading.upperQuartile].map { Table.number($0 / scale) }
    return "\(time(reading.median)) (\(quartiles.joined(separator: "–")))"
  }

  private static func costCell(_ reading: PeerReading) -> String {
    var cell = time(reading.processorTime)
    if let instructions = reading.instructions {
      cell += ", \(Table.number(instructions)) instructions"
    }
    if let calls = reading.systemCalls { cell += ", \(Table.digits(calls, 3)) calls" }
    return cell
  }

  private static func ratio(_ row: PeerComparison) -> String {
    guard let ratio = row.ratioMedian, let low = row.ratioLowerQuartile,
      let high = row.ratioUpperQuartile
    else { return "–" }
    return "\(Table.digits(ratio, 2)) (\(Table.digits(low, 2))–\(Table.digits(high, 2)))"
  }

  private static func verdict(_ row: PeerComparison) -> String {
    switch row.verdict {
    case .met: "met"
    case .missed: "**not met**"
    case .open: "–"
    case .failed: "failed"
    }
  }

  /// From here on a time is in microseconds.
  private static let microseconds = 10_000.0

  private static func time(_ nanoseconds: Double) -> String {
    nanoseconds < microseconds
      ? "\(Table.number(nanoseconds)) ns" : "\(Table.number(nanoseconds / 1_000)) µs"
  }
}
