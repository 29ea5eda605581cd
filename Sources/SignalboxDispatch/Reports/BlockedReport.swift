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
  /// thread 7 (kernel 4711), on the queue "com.example.ui", waits in sync, for the queue
  /// "com.example.db", held by thread 3
  /// nobody drains the main queue, on which 2 item(s) wait: call dispatchMain(), or host it with
  /// DispatchMainQueueHost
  /// ```
  ///
  /// Any thread. It takes each waiting thread's record lock for a moment.
  public static func text() -> String {
    text(withStuck: true)
  }

  static func text(withStuck: Bool) -> String {
    var lines = WaitRegistry.shared.waits.map(line)
    if withStuck, let stuck = StuckReport.line { lines.insert(stuck, at: 0) }
    if let main = undrainedMain { lines.append(main) }
    return lines.isEmpty ? "no thread waits" : lines.joined(separator: "\n")
  }

  private static func line(_ wait: WaitRecord.Snapshot) -> String {
    let timed = wait.isTimed ? ", with a time-out" : ""
    let owner =
      wait.owner == 0
      ? "" : wait.owner == wait.thread ? ", held by itself" : ", held by thread \(wait.owner)"
    let place = wait.place.isEmpty ? "" : ", \(wait.place),"
    return "thread \(wait.thread) (kernel \(wait.kernelID))\(place) waits \(wait.reason.words) "
      + wait.resource + owner + timed
  }

  private static var undrainedMain: String? {
    let waiting = MainQueueDrain.shared.isDriven ? 0 : DispatchQueue.main.countPending()
    guard waiting > 0 else { return nil }
    return "nobody drains the main queue, on which \(waiting) item(s) wait: call dispatchMain(), "
      + "or host it with DispatchMainQueueHost"
  }
}
