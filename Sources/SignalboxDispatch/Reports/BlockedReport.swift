// BlockedReport — which threads wait for what at this moment.

import SignalboxDiagnostics
import SignalboxRuntime

/// Reports which threads wait, for what, and which thread holds it.
///
/// *Beyond Apple's API.*
public enum BlockedReport {
  /// The current waits: one line for each thread that waits in a call of this library. If the pool
  /// is stuck, a first line says so. If no thread drains the main queue although items wait there,
  /// a last line says so.
  ///
  /// ```
  /// thread 7 (kernel 4711, "sb-default-2"), on the queue "com.example.ui", waits in sync, for
  /// the queue "com.example.db" (for 21 ms), held by thread 3 (kernel 4707, "worker")
  /// nobody drains the main queue, on which 2 items wait: call dispatchMain(), or host it with
  /// DispatchMainQueueHost
  /// ```
  ///
  /// Any thread may call it. It takes the record lock of each waiting thread for a moment.
  public static func text() -> String { text(withStuck: true) }

  static func text(withStuck: Bool) -> String {
    SignalboxReport.ofWaits(WaitRegistry.shared.waits, withStuck: withStuck).waits
  }
}
