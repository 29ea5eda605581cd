// DispatchTimeoutResult — how a wait with a time-out ended.

/// Whether what was waited for came in time.
public enum DispatchTimeoutResult: Sendable {
  /// It came in time.
  case success
  /// The time was over before.
  case timedOut
}
