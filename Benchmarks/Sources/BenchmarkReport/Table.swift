import BenchmarkRecord
import Foundation

/// The results as Markdown: the times with their goals, and the counts.
public enum Table {
  /// Marks the ratio of a row that has no median of its rounds' ratios.
  static let ofMedians = "~"

  /// - Parameter explained: whether a row that loses leads to the paragraph that says why.
  public static func markdown(_ results: Results, explained: Bool = true) -> String {
    var sections = [caption(results)]
    if !results.comparisons.isEmpty {
      sections.append(times(results.comparisons, reasons: explained ? reasons : nil))
    }
    if !results.counts.isEmpty { sections.append(counts(results.counts, results.comparisons)) }
    return sections.joined(separator: "\n\n")
  }

  /// The rows of programs that are not rebuilt.
  public static func dropIn(_ results: Results) -> String {
    times(results.dropIn, reasons: "why-drop-in-")
  }

  /// The rows of a front page, in this order: what most programs do most, and three that lose.
  public static let chosen = [
    "serial-async-int", "serial-sync", "hop", "blocked-items", "nslock-8-threads", "pipe-ping-pong",
    "coalesced-timers", "operation-queue", "task-spawn-many", "nslock", "rwlock-mixed",
    "async-after-fired",
  ]

  /// The chosen rows without quartiles. Where one of them loses, its ratio leads to the reason,
  /// which `document` has.
  ///
  /// - Returns: `nil` if a chosen row was never measured.
  public static func short(_ results: Results, reasonsIn document: String) -> String? {
    var lines = [
      "| subject | Signalbox | toolchain | ratio |",
      "| --- | ---: | ---: | ---: |",
    ]
    for name in chosen {
      guard let row = results.comparisons.first(where: { $0.name == name }) else { return nil }
      let (ours, theirs) = (short(row.signalbox, row.unit), short(row.toolchain, row.unit))
      let figure = row.toolchain?.note.isEmpty == true ? shortRatio(row) : "–"
      let ratio = row.needsReason ? "[\(figure)](\(document)#\(reasons)\(row.name))" : figure
      lines.append("| \(row.title) | \(ours) | \(theirs) | \(ratio) |")
    }
    return lines.joined(separator: "\n")
  }

  private static func short(_ reading: Reading?, _ unit: String) -> String {
    guard let reading else { return "failed" }
    let median = "\(number(reading.median)) \(unit)"
    return reading.note.isEmpty ? median : "> \(median) (\(reading.note))"
  }

  private static func shortRatio(_ row: Comparison) -> String {
    guard let ratio = row.ratio else { return "–" }
    return digits(ratio, ratio < 0.1 ? 3 : 2)
  }

  private static let reasons = "why-"

  /// Both sides of every row, for a run too short to judge by.
  public static func plain(_ comparisons: [Comparison]) -> String {
    comparisons.map { row in
      "\(row.name): signalbox \(cell(row.signalbox, row.unit))"
        + (row.goal.isAlone ? "" : ", toolchain \(cell(row.toolchain, row.unit))")
    }.joined(separator: "\n")
  }

  private static func caption(_ results: Results) -> String {
    let machine = results.machine
    let dates = (results.comparisons.map(\.date) + results.counts.map(\.date)).sorted()
    let rounds = results.comparisons.compactMap(\.signalbox?.rounds).max() ?? 0
    var span = dates.first ?? "nothing measured yet"
    if let last = dates.last, last != span { span += " to \(last)" }
    let earlier = results.comparisons.filter(\.hasRatioOfMedians).count
    return """
      \(machine.processor), \(machine.cores) cores, \(machine.architecture), \
      Linux \(machine.kernel); \(span); up to \(rounds) interleaved rounds. A time is the median of \
      the rounds, a ratio the median of the rounds' ratios, each with its quartiles in brackets. \
      \(earlier == 0 ? "" : earlierRatios(earlier))\
      The goal is for the ratio, unless it has a unit; a bold goal is required. \(aboutLines)
      """
  }

  static let aboutLines = """
    *Line* is the time in which a cache line passes from one processor to another. It changes when \
    the host moves the virtual machine's processors; only rounds at one distance are compared.
    """

  private static func earlierRatios(_ count: Int) -> String {
    """
    \(count) rows were measured before the rounds' median was kept: their ratio, marked with \
    \(ofMedians), is that of the two medians, and can lie outside its brackets.\u{20}
    """
  }

  /// - Parameter reasons: how the anchors of the paragraphs begin that say why a row loses; nil if there
  ///   are none.
  private static func times(_ rows: [Comparison], reasons: String?) -> String {
    var lines = [
      "| subject | Signalbox | toolchain | ratio | goal | met | line |",
      "| --- | ---: | ---: | ---: | ---: | --- | ---: |",
    ]
    for row in rows {
      let title = row.isRequired ? "**\(row.title)**" : row.title
      let toolchain = row.goal.isAlone ? "–" : cell(row.toolchain, row.unit)
      lines.append(
        """
        | \(title) | \(cell(row.signalbox, row.unit)) | \(toolchain) \
        | \(ratio(row)) | \(goal(row)) | \(verdict(row, reasons.map { $0 + row.name })) \
        | \(line(row.transfer)) |
        """)
    }
    return lines.joined(separator: "\n")
  }

  private static func cell(_ reading: Reading?, _ unit: String) -> String {
    guard let reading else { return "failed" }
    guard reading.note.isEmpty else {
      return "> \(number(reading.median)) \(unit) (\(reading.note))"
    }
    guard reading.rounds > 1 else { return "\(number(reading.median)) \(unit)" }
    return """
      \(number(reading.median)) \(unit) \
      (\(number(reading.lowerQuartile))–\(number(reading.upperQuartile)))
      """
  }

  private static func ratio(_ row: Comparison) -> String {
    guard let ratio = row.ratio, let low = row.ratioLowerQuartile,
      let high = row.ratioUpperQuartile, row.signalbox?.note.isEmpty == true
    else { return "–" }
    guard row.toolchain?.note.isEmpty == true else { return "< \(digits(ratio, 3))" }
    let fraction = ratio < 0.1 ? 3 : 2
    return """
      \(row.hasRatioOfMedians ? ofMedians : "")\(digits(ratio, fraction)) \
      (\(digits(low, fraction))–\(digits(high, fraction)))
      """
  }

  private static func goal(_ row: Comparison) -> String {
    switch row.goal {
    case .ratio(let limit, required: true): "**≤ \(digits(limit, 2))**"
    case .ratio(let limit, required: false): "≤ \(digits(limit, 2))"
    case .alone(let limit, required: true): "**≤ \(number(limit)) \(row.unit)**"
    case .value(let limit), .alone(let limit, required: false):
      "≤ \(number(limit)) \(row.unit)"
    case .none: "–"
    }
  }

  private static func verdict(_ row: Comparison, _ reason: String?) -> String {
    func explained(_ word: String) -> String { reason.map { "[\(word)](#\($0))" } ?? word }
    return switch row.verdict {
    case .met: "met"
    case .missed: explained("not met")
    case .open: row.needsReason ? explained("slower") : "–"
    case .failed: "failed"
    }
  }

  static func line(_ transfer: Double?) -> String {
    transfer.map { "\(number($0)) ns" } ?? "–"
  }

  private static func counts(_ rows: [CountedSubject], _ comparisons: [Comparison]) -> String {
    var lines = [
      "Counts an operation, Signalbox / toolchain:",
      "",
      "| subject | instructions | allocations | system calls | context switches |",
      "| --- | ---: | ---: | ---: | ---: |",
    ]
    for row in rows {
      let comparison = comparisons.first { $0.name == row.subject }
      let ours = row.signalbox
      let theirs = row.toolchain
      lines.append(
        """
        | \(comparison?.title ?? row.subject) \
        | \(pair(ours.instructions, theirs.instructions, fraction: 0)) \
        | \(pair(ours.allocations, theirs.allocations, fraction: 2)) \
        | \(pair(ours.systemCalls, theirs.systemCalls, fraction: 3)) \
        | \(pair(comparison?.signalbox?.switches, comparison?.toolchain?.switches, fraction: 3)) |
        """)
    }
    return lines.joined(separator: "\n")
  }

  private static func pair(_ ours: Double?, _ theirs: Double?, fraction: Int) -> String {
    guard ours != nil || theirs != nil else { return "–" }
    return [ours, theirs].map { $0.map { digits($0, fraction) } ?? "–" }.joined(separator: " / ")
  }

  /// Three significant digits, and no fraction from a hundred on.
  static func number(_ value: Double) -> String {
    digits(value, value < 10 ? 2 : value < 100 ? 1 : 0)
  }

  static func digits(_ value: Double, _ fraction: Int) -> String {
    String(format: "%.\(fraction)f", value)
  }
}
