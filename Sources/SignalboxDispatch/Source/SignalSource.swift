// SignalSource — the source for a signal and the number of its deliveries.
//
// The library's signal handler counts; this source keeps the count that it reported last. So
// signals that arrive while the handler runs or the source is suspended are combined into one
// call with their number, and each of several sources for one signal has a count of its own.
//
// Touching    `told`: by `install`, then on the target queue.

import CSignalbox
import SignalboxRuntime

final class SignalSource: SourceCore, SignalClient, @unchecked Sendable {
  // SAFETY: see Touching.
  let signal: Int32
  private var told: UInt64 = 0

  init(signal: Int32, queue: DispatchQueue?) {
    if signal < 1 || signal > SignalTable.lastSignal {
      clientBug(
        "a signal source was made for signal \(signal), which does not exist: a signal has a "
          + "number from 1 to \(SignalTable.lastSignal).")
    }
    self.signal = signal
    super.init(handle: UInt(signal), mask: 0, queue: queue)
  }

  override func install() -> Int32 {
    told = SignalTable.count(of: signal)
    return Engine.current.driver.subscribe(self)
  }

  override func uninstall() { Engine.current.driver.unsubscribe(self) }

  /// The merged value has no meaning; the merge orders the look at the count (SC1).
  func signalCame() { merge(or: 1) }

  override func takeData() -> UInt? {
    _ = takePending()
    let count = SignalTable.count(of: signal)
    let new = count &- told
    told = count
    return new == 0 ? nil : UInt(truncatingIfNeeded: new)
  }

  override var kindName: String { "signal source for \(SignalTable.name(of: signal))" }

  override func refusal(_ error: Int32) -> String {
    let refused = "the \(kindName) could not be registered"
    switch error {
    case EINVAL:
      let isKept = csb_signal_name(signal) == nil
      return "\(refused) (this signal cannot be caught"
        + (isKept ? ": the C library keeps it for itself)" : ")")
    case EBUSY:
      return "\(refused) (the program has put its own handlers over the library's too often)"
    default:
      return super.refusal(error)
    }
  }
}
