// LazyStatics — the static properties of this module that the Swift runtime initializes on first use;
// see the file of this name in `SignalboxRuntime`.

import CSignalbox
import SignalboxRuntime

enum LazyStatics {
  /// What a deadlock's report needs.
  static func forceDeadlocks() {
    forceInitialized(DeadlockReport.only)
    forceInitialized(PlaceWords.ours)
    forceInitialized(PlaceWords.interface)
  }

  /// Initializes what a recording needs and `force` does not initialize.
  static func forceRecording() {
    // The table is large: only a recording that asks for it has one.
    if csb_trace_wait_limit_load() != 0 { forceInitialized(TraceWaitLimit.shared) }
  }

  /// What measured times need.
  static func forceTimes() {
    forceInitialized(QueueTimes.shared)
  }

  static func force() {
    forceInitialized(LockOrder.shared)
    forceInitialized(ProbeSubscribers.shared)
    forceInitialized(TraceCapture.shared)
    forceInitialized(TraceLayout.magic)
    forceInitialized(TraceTicker.word)
    forceInitialized(PlaceWords.ours)
    forceInitialized(PlaceWords.helpers)
    forceInitialized(PlaceWords.interface)
  }
}
