// DispatchQueue+Attributes — what can be asked of a queue when it is made.

extension DispatchQueue {
  /// What kind of queue is made. None given: a serial one.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Items run side by side.
    public static let concurrent = Attributes(rawValue: 1 << 1)
    /// Nothing starts before `activate()`.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// The names that priorities had before there were classes.
  public enum GlobalQueuePriority: Sendable {
    /// The same as the class `userInitiated`.
    case high
    case `default`
    /// The same as the class `utility`.
    case low
    case background
  }

  /// When a queue empties its autorelease pools. Linux has none: accepted, and
  /// without effect.
  public enum AutoreleaseFrequency: Sendable {
    case inherit
    case workItem
    case never
  }
}
