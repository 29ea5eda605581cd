// CFRunLoopActivity — the activities that observers can watch.

/// The points of a pass at which a loop calls its observers.
///
/// Source: Apple's documentation of `CFRunLoopActivity`.
public struct CFRunLoopActivity: OptionSet, Hashable, Sendable {
  public let rawValue: CFOptionFlags
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// A run begins. Reported once per run.
  public static let entry = CFRunLoopActivity(rawValue: 1)
  /// Timers are about to fire.
  public static let beforeTimers = CFRunLoopActivity(rawValue: 2)
  /// Sources are about to fire.
  public static let beforeSources = CFRunLoopActivity(rawValue: 4)
  /// The thread is about to sleep. Not reported if it stays awake because an input is ready or
  /// the run's time is over.
  public static let beforeWaiting = CFRunLoopActivity(rawValue: 32)
  /// The thread woke up, and has not yet handled what woke it.
  public static let afterWaiting = CFRunLoopActivity(rawValue: 64)
  /// A run ends. Reported once per run.
  public static let exit = CFRunLoopActivity(rawValue: 128)
  /// All activities, including any added in future.
  public static let allActivities = CFRunLoopActivity(rawValue: 0x0FFF_FFFF)
}
