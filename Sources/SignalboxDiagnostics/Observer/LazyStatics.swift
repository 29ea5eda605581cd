// LazyStatics — the static properties of this module that the Swift runtime initializes on first use;
// see the file of this name in `SignalboxRuntime`.

import CSignalbox
import SignalboxRuntime

enum LazyStatics {
  static func force() {
    forceInitialized(ProbeSubscribers.shared)
    forceInitialized(TraceCapture.shared)
    forceInitialized(TraceLayout.magic)
    // The table is large: only a recording that asks for it has one.
    if csb_trace_patience_load() != 0 { forceInitialized(TracePatience.shared) }
    forceInitialized(TraceTicker.word)
    forceInitialized(PlaceWords.ours)
  }
}
