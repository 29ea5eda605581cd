// ReportRequest — reports what the threads of another process wait for.

import CSignalboxTool
import SignalboxInspector

struct ReportRequest {
  let process: Int32
  let isJSON: Bool

  func carryOut() throws(InspectionRefusal) {
    csb_tool_end_after(inspectionLimit)
    let report = try Target(process).inspect()
    put(isJSON ? report.json + "\n" : report.text)
  }
}

/// How long reading takes at most, in seconds: many times what a process with thousands of threads
/// takes on a busy machine.
let inspectionLimit: UInt32 = 60
