// PortDelegate — handles the messages of a port.

/// Handles the messages of a port.
///
/// Source: Apple's documentation of `PortDelegate`.
public protocol PortDelegate: AnyObject {
  /// Called for each message, one at a time, on the thread of the loop that received it.
  func handle(_ message: PortMessage)
}
