// CFRunLoopActivity — what observers are told of.

/// The points of a loop's sequence at which observers are told.
///
/// Source: Apple's documentation of `CFRunLoopActivity`.
public struct CFRunLoopActivity: OptionSet, Hashable, Sendable {
  public let rawValue: CFOptionFlags
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// The loop is entered. Once for each run.
  public static let entry = CFRunLoopActivity(rawValue: 1)
  /// Timers are about to fire.
  public static let beforeTimers = CFRunLoopActivity(rawValue: 2)
  /// Sources are about to fire.
  public static let beforeSources = CFRunLoopActivity(rawValue: 4)
  /// The thread is about to sleep. Not where it does not, because something is ready or it
  /// has no time.
  public static let beforeWaiting = CFRunLoopActivity(rawValue: 32)
  /// The thread woke up, and has not handled what woke it.
  public static let afterWaiting = CFRunLoopActivity(rawValue: 64)
  /// The loop is left. Once for each run.
  public static let exit = CFRunLoopActivity(rawValue: 128)
  /// All of these, and what may be added to them.
  public static let allActivities = CFRunLoopActivity(rawValue: 0x0FFF_FFFF)
}
