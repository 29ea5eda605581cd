// Observation — installs this module's observer in the engine.

import SignalboxRuntime

enum Observation {
  /// Has the engine call the observer, and the module take part in each fork, from now on. Call
  /// it before you set a bit of the mask. Costs a load once it is done.
  ///
  /// A part has joined before its `making` ends, so only the observer itself shows that the
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
