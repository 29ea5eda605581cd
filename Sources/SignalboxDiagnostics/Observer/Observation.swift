// Observation — installs this module's observer in the engine.

import SignalboxRuntime

enum Observation {
  /// From now on, the engine calls the observer, and the module takes part in each fork. Call it
  /// before you set a bit of the mask. Later calls cost one load.
  ///
  /// A participant joins before its `making` ends, so only the installed observer shows that the
  /// initialization is complete. A thread that arrives in between waits in `join`.
  static func begin() {
    if Probe.isObserved { return }
    Fork.join(
      .probes, prepare: { ProbeSubscribers.shared.lockForFork() },
      release: { ProbeSubscribers.shared.unlockAfterFork() }, making: {})
    Fork.join(
      .lockOrder, prepare: { LockOrder.shared.lockForFork() },
      release: { LockOrder.shared.unlockAfterFork() }, making: {})
    Fork.join(
      .recorder, prepare: { TraceCapture.shared.lockForFork() },
      release: { TraceCapture.shared.unlockAfterFork() },
      child: { TraceCapture.shared.forgetAfterFork() },
      making: {
        LazyStatics.force()
        Probe.install(EngineObserver.self)
      })
  }
}
