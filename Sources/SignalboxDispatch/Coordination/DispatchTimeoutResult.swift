// DispatchTimeoutResult — how a wait with a time-out ended.

/// Whether what was waited for came in time.
public enum DispatchTimeoutResult: Sendable {
  case success
  case timedOut
}
