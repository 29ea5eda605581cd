// SignalboxMetrics+Snapshot — takes the numbers of the current moment.

@_exported public import struct SignalboxDiagnostics.SignalboxMetrics
import SignalboxDispatch

extension SignalboxMetrics {
  /// The numbers of the current moment.
  ///
  /// Call it from any thread. It takes the locks of the lists of queues, of the
  /// pools and of the timers for a few microseconds each. It does not block
  /// queues: it counts the items of a queue from outside, which takes a few
  /// hundred nanoseconds for each item, up to ten thousand items of a queue and a
  /// hundred thousand in all.
  public static func snapshot() -> SignalboxMetrics { gathered() }
}
