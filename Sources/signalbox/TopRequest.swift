// TopRequest — a live view of a process, or a line each second in a pipe.
//
// A process may keep its reader waiting. Ctrl-C ends the view even then: see terminal.c.

import CSignalboxTool
import SignalboxInspector

struct TopRequest {
  /// The process; nil for a list of the processes that can be inspected.
  let process: Int32?

  func carryOut() throws(InspectionRefusal) {
    // Refuse before the terminal changes.
    if let process { _ = try TopRequest.sample(process) }
    let terminal = Terminal()
    if let terminal {
      terminal.begin()
      LiveTop(terminal, process).run()
    } else if let process {
      try writeLines(of: process)
    } else {
      writeLists()
    }
  }

  /// The process as it is now.
  static func sample(_ process: Int32) throws(InspectionRefusal) -> TopSample {
    try Target.report(of: process).sample
  }

  // MARK: In a pipe

  private func writeLines(of process: Int32) throws(InspectionRefusal) {
    let life = ProcessLife(process)
    var before: TopSample?
    while life?.isAlive == true {
      let sample: TopSample
      do throws(InspectionRefusal) { sample = try TopRequest.sample(process) } catch {
        // It has ended meanwhile.
        if error.kind == .gone { return }
        throw error
      }
      put(sample.line(since: before) + "\n")
      before = sample
      csb_tool_poll(nil, 0, 1000)
    }
  }

  private func writeLists() {
    while true {
      put(ProcessList().summary + "\n")
      csb_tool_poll(nil, 0, 1000)
    }
  }
}
