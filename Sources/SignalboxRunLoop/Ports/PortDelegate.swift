// PortDelegate — who handles what comes to a port.

/// Whoever handles the messages of a port.
///
/// Source: Apple's documentation of `PortDelegate`.
public protocol PortDelegate: AnyObject {
  /// Called for each message, one at a time, on the thread of the loop that took it.
  func handle(_ message: PortMessage)
}
