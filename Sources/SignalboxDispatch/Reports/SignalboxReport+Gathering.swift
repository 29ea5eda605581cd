// SignalboxReport+Gathering — collects the parts of a report.

package import SignalboxDiagnostics
import SignalboxRuntime

extension SignalboxReport {
  /// A report of the current moment.
  package static func gathered() -> SignalboxReport {
    let waits = WaitRegistry.shared.waits(withFunctions: true)
    var report = ofWaits(waits)
    report.threads += ThreadSurvey.threads(except: Set(waits.map(\.thread)))
    report.queues = Queue.all(waits)
    (report.timers, report.timerCount) = TimerReport.pending
    report.operationQueues = ReportSources.shared.operations
    report.runLoops = ReportSources.shared.loops
    report.pools = Engine.existing?.pools.map(Pool.init) ?? []
    return report
  }

  /// A report of the waits and of what `notes` contains.
  static func ofWaits(_ waits: [WaitRecord.Snapshot], withStuck: Bool = true) -> SignalboxReport {
    SignalboxReport(
      waits, stuck: withStuck ? StuckReport.line : nil,
      notes: DeadlockReport.shared.standingTexts + (undrainedMain.map { [$0] } ?? [])
        + ReportSources.shared.lines)
  }

  private static var undrainedMain: String? {
    let waiting = MainQueueDrain.isDriven ? 0 : DispatchQueue.main.countPending()
    guard waiting > 0 else { return nil }
    return "nobody drains the main queue, on which "
      + counted(waiting, "item", one: "waits", many: "wait")
      + ": call dispatchMain(), or host it with DispatchMainQueueHost"
  }
}
