// CFRunLoopActivity — the activities that observers can watch.

/// The points of a pass at which a loop calls its observers.
///
/// Source: Apple's documentation of `CFRunLoopActivity`.
public struct CFRunLoopActivity: OptionSet, Hashable, Sendable {
  public let rawValue: CFOptionFlags
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// A run begins. Reported once per run.
  public static var entry: CFRunLoopActivity { Self(rawValue: 1) }
  /// Timers are about to fire.
  public static var beforeTimers: CFRunLoopActivity { Self(rawValue: 2) }
  /// Sources are about to fire.
  public static var beforeSources: CFRunLoopActivity { Self(rawValue: 4) }
  /// The thread is about to sleep. Not reported if it stays awake because an input is ready or
  /// the run's time limit has passed.
  public static var beforeWaiting: CFRunLoopActivity { Self(rawValue: 32) }
  /// The thread woke up, and has not yet handled what woke it.
  public static var afterWaiting: CFRunLoopActivity { Self(rawValue: 64) }
  /// A run ends. Reported once per run.
  public static var exit: CFRunLoopActivity { Self(rawValue: 128) }
  /// All activities, including any added in future.
  public static var allActivities: CFRunLoopActivity { Self(rawValue: 0x0FFF_FFFF) }
}
