// Port+Notifications — what is posted of ports.

public import Foundation

extension Port {
  /// Posted once a port has become invalid by `invalidate()`, with the port for its object, on
  /// the thread that called it.
  ///
  /// *Differences*: the toolchain's ports never post it.
  ///
  /// Source: Apple's documentation of `Port.didBecomeInvalidNotification`.
  public static let didBecomeInvalidNotification = Foundation.Port.didBecomeInvalidNotification
}
