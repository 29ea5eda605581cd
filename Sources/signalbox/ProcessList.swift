// ProcessList — the processes that can be inspected, and why others cannot.

import Glibc
import SignalboxInspector

struct ProcessList {
  private var rows: [[String]] = [["PID", "NAME", "THREADS", "WAITING", "DEADLOCKS"]]
  /// Processes with a Signalbox that cannot be read, and those that gave no answer.
  private var refused: [String] = []
  private var isWithout = 0
  private var isForbidden = 0

  /// How long one process may take, in seconds: about a hundred times what a process with a
  /// thousand threads takes.
  private static let limit: UInt32 = 5
  /// How many processes may take longer before the list ends.
  private static let mostSilent = 8

  init() {
    let processes = Processes.all.filter { $0 != getpid() }
    var next = 0, silent = 0
    while next < processes.count, silent < ProcessList.mostSilent {
      // One copy reads all processes, as long as they answer.
      var copy = ReadingCopy { answer in
        for process in processes[next...] { answer(ProcessList.line(of: process)) }
      }
      var isSilent = false
      while next < processes.count, !isSilent {
        if case .line(let line) = copy.next(within: ProcessList.limit) {
          add(line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init))
        } else {
          isSilent = true
          let name = Target.name(of: processes[next])
          refused.append(
            "process \(processes[next]) (\(name)) could not be read within \(ProcessList.limit) s")
        }
        next += 1
      }
      copy.end(byForce: isSilent)
      if isSilent { silent += 1 }
    }
    if next < processes.count {
      refused.append("the list ends here, because too many processes could not be read")
    }
  }

  /// Parts with tabs between them. No part contains a tab, because no text has control characters.
  private static func line(of process: Int32) -> String {
    do throws(InspectionRefusal) {
      let report = try Target.report(of: process, hasStacks: false)
      return
        "row\t\(process)\t\(report.name)\t\(report.threadCount)\t\(report.waiting)\t\(report.deadlocks)"
    } catch {
      switch error.kind {
      case .gone: return "gone"
      case .noEngine, .foreign, .core, .noRecording: return "without"
      case .noRight: return "forbidden"
      case .otherVersion: return "refused\t\(error.text)"
      }
    }
  }

  private mutating func add(_ parts: [String]) {
    switch parts.first {
    case "row": rows.append(Array(parts.dropFirst()))
    case "without": isWithout += 1
    case "forbidden": isForbidden += 1
    case "refused": refused.append(parts.dropFirst().joined())
    default: break
    }
  }

  /// Those that can be inspected.
  var processes: [Int32] { rows.dropFirst().compactMap { Int32($0[0]) } }

  /// The headings, and a line for each of these processes.
  var lines: [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().map { index, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return index == 1 ? cell.0 + padding : padding + cell.0
      }
      return cells.joined(separator: "  ")
    }
  }

  /// The number of these processes, and the sums of their columns.
  var summary: String {
    let sums = (2...4).map { column in
      rows.dropFirst().reduce(0) { $0 + (Int($1[column]) ?? 0) }
    }
    return "\(rows.count - 1) processes, \(sums[0]) threads, \(sums[1]) wait, \(sums[2]) deadlocks"
  }

  var text: String {
    var text = lines.map { $0 + "\n" }.joined()
    for reason in refused { text += reason + "\n" }
    if isWithout > 0 {
      text += isWithout == 1 ? "1 process has" : "\(isWithout) processes have"
      text += " no Signalbox\n"
    }
    if isForbidden > 0 {
      text += isForbidden == 1 ? "1 process" : "\(isForbidden) processes"
      text += " may not be read by you: `signalbox report PID` says which right is missing\n"
    }
    return text
  }
}
