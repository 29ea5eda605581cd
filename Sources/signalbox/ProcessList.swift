// ProcessList — the processes that can be inspected, and why others cannot.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct ProcessList {
  private var rows: [[String]] = [["PID", "NAME", "THREADS", "WAITING", "DEADLOCKS"]]
  /// Processes with a Signalbox that cannot be read.
  private var refused: [String] = []
  private var isWithout = 0
  private var isForbidden = 0

  init() {
    csb_tool_end_after(inspectionLimit)
    for process in Processes.all where process != getpid() { add(process) }
  }

  private mutating func add(_ process: Int32) {
    do throws(InspectionRefusal) {
      let target = try Target(process)
      let report = try target.inspect()
      rows.append([
        "\(process)", target.name, "\(report.threadCount)", "\(report.waiting)",
        "\(report.inspections.reduce(0) { $0 + $1.cycles.count })",
      ])
    } catch {
      switch error.kind {
      case .gone: break
      case .noEngine, .foreign: isWithout += 1
      case .noRight: isForbidden += 1
      case .otherVersion: refused.append(error.text)
      }
    }
  }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in rows {
      let cells = zip(row, widths).enumerated().map { index, cell in
        let padding = String(repeating: " ", count: cell.1 - cell.0.count)
        return index == 1 ? cell.0 + padding : padding + cell.0
      }
      text += cells.joined(separator: "  ") + "\n"
    }
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
