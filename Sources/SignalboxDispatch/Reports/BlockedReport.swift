// BlockedReport — who waits for what at this moment.

import SignalboxRuntime

/// Says who waits, on what, and behind whom.
///
/// *Beyond Apple's API.*
public enum BlockedReport {
  /// One line for each thread that waits in a call of this library, one before
  /// them if the pool is stuck, and one if work waits on the main queue that
  /// nothing drains.
  ///
  /// ```
  /// thread 7 (kernel 4711, "sb-default-2"), on the queue "com.example.ui", waits in sync, for
  /// the queue "com.example.db" (for 21 ms), held by thread 3 (kernel 4707, "worker")
  /// nobody drains the main queue, on which 2 item(s) wait: call dispatchMain(), or host it with
  /// DispatchMainQueueHost
  /// ```
  ///
  /// Any thread. It takes each waiting thread's record lock for a moment.
  public static func text() -> String {
    text(withStuck: true)
  }

  static func text(withStuck: Bool) -> String { textAndThreads(withStuck: withStuck).text }

  /// The report, and the numbers of the threads that wait.
  package static func textAndThreads(
    withStuck: Bool = true
  ) -> (text: String, threads: Set<UInt32>) {
    let waits = WaitRegistry.shared.waits
    var lines = waits.map(line)
    if withStuck, let stuck = StuckReport.line { lines.insert(stuck, at: 0) }
    if let main = undrainedMain { lines.append(main) }
    lines += ReportLines.shared.all
    let text = lines.isEmpty ? "no thread waits" : lines.joined(separator: "\n")
    return (text, Set(waits.map(\.thread)))
  }

  private static func line(_ wait: WaitRecord.Snapshot) -> String {
    let timed = wait.isTimed ? ", with a time-out" : ""
    let owner =
      wait.owner == 0
      ? ""
      : wait.owner == wait.thread ? ", held by itself" : ", held by \(ThreadName.of(wait.owner))"
    let place = wait.place.isEmpty ? "" : ", \(wait.place),"
    return ThreadName.of(wait.thread) + place + " waits \(wait.reason.words) \(wait.resource) "
      + "(for \(wait.length.words))" + owner + timed
  }

  private static var undrainedMain: String? {
    let waiting = MainQueueDrain.isDriven ? 0 : DispatchQueue.main.countPending()
    guard waiting > 0 else { return nil }
    return "nobody drains the main queue, on which \(waiting) item(s) wait: call dispatchMain(), "
      + "or host it with DispatchMainQueueHost"
  }
}
