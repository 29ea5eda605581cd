// Port+Notifications — the notification that ports post.

public import Foundation

extension Port {
  /// Posted after `invalidate()` has invalidated a port, with the port as its object, on the
  /// thread that called it.
  ///
  /// *Differences*: the toolchain's ports never post it.
  ///
  /// Source: Apple's documentation of `Port.didBecomeInvalidNotification`.
  public static let didBecomeInvalidNotification = Foundation.Port.didBecomeInvalidNotification
}
