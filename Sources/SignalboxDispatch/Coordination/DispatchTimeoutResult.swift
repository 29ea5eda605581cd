// DispatchTimeoutResult — how a wait with a timeout ended.

/// The result of a wait with a timeout.
public enum DispatchTimeoutResult: Sendable {
  /// The event occurred before the timeout.
  case success
  /// The timeout passed first.
  case timedOut
}
