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
  /// nobody drains the main queue, on which 2 items wait: call dispatchMain(), or host it with
  /// DispatchMainQueueHost
  /// ```
  ///
  /// Any thread. It takes each waiting thread's record lock for a moment.
  public static func text() -> String {
    text(withStuck: true)
  }

  static func text(withStuck: Bool) -> String { BlockedParts(withStuck: withStuck).text }
}
