// BlockedParts — the parts of a report of waiting threads.

package import SignalboxRuntime

package struct BlockedParts: Sendable {
  /// The line that reports a stuck pool; nil if the pool is not stuck.
  package let stuck: String?
  /// Every wait under way, ordered by thread number.
  package let waits: [WaitRecord.Snapshot]
  /// The current deadlocks, a line if no thread drains the main queue, and the lines of other
  /// modules.
  package let notes: [String]

  package init(withStuck: Bool = true) {
    waits = WaitRegistry.shared.waits
    stuck = withStuck ? StuckReport.line : nil
    notes =
      DeadlockReport.shared.standingTexts + (BlockedParts.undrainedMain.map { [$0] } ?? [])
      + ReportSources.shared.lines
  }

  package var text: String {
    let lines = (stuck.map { [$0] } ?? []) + waits.map(BlockedParts.line) + notes
    return lines.isEmpty ? "no thread waits" : lines.joined(separator: "\n")
  }

  private static func line(_ wait: WaitRecord.Snapshot) -> String {
    let timed = wait.isTimed ? ", with a time-out" : ""
    // A thread that waits for work on its own queue holds that queue and is only idle.
    let isHeld = wait.owner != 0 && wait.reason != .mainQueue
    let owner =
      !isHeld
      ? ""
      : wait.owner == wait.thread ? ", held by itself" : ", held by \(ThreadName.of(wait.owner))"
    let place = wait.place.isEmpty ? "" : ", \(wait.place),"
    return ThreadName.of(wait.thread) + place + " waits \(wait.reason.words) \(wait.resource) "
      + "(for \(wait.length.words))" + owner + timed
  }

  private static var undrainedMain: String? {
    let waiting = MainQueueDrain.isDriven ? 0 : DispatchQueue.main.countPending()
    guard waiting > 0 else { return nil }
    return "nobody drains the main queue, on which "
      + counted(waiting, "item", one: "waits", many: "wait")
      + ": call dispatchMain(), or host it with DispatchMainQueueHost"
  }
}
