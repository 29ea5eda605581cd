// Eventually — waits for a report that shows a state, because each report shows one moment.

import SignalboxTestSupport
import SignalboxTrace

/// Returns the result of `find` for a report, once there is one.
func inReport<Found>(
  _ what: String, file: StaticString = #fileID, line: UInt = #line,
  _ find: (SignalboxReport) -> Found?
) throws -> Found {
  let end = Uptime.now() + RealTime.wedge
  while true {
    if let found = find(.now) { return found }
    guard Uptime.now() < end else { throw Wedge.found("no \(what)", file: file, line: line) }
    letRealTimePass(.milliseconds(1))
  }
}

/// Returns the queue with this label, as a report shows it once the condition holds.
func queue(
  _ label: String, file: StaticString = #fileID, line: UInt = #line,
  where condition: (SignalboxReport.Queue) -> Bool = { _ in true }
) throws -> SignalboxReport.Queue {
  try inReport("queue \(label) like that in a report", file: file, line: line) { report in
    report.queues.first { $0.label == label && condition($0) }
  }
}

/// Waits until reports no longer show the queue.
func waitUntilGone(_ label: String, file: StaticString = #fileID, line: UInt = #line) throws {
  try inReport("report without \(label)", file: file, line: line) { report in
    report.queues.contains { $0.label == label } ? nil : ()
  }
}
