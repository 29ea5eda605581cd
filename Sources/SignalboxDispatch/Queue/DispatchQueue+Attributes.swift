// DispatchQueue+Attributes — what can be asked of a queue when it is made.

import SignalboxRuntime

extension DispatchQueue {
  /// What kind of queue is made. None given: a serial one.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Items run side by side.
    public static let concurrent = Attributes(rawValue: 1 << 1)
    /// Nothing starts before `activate()`.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)

    /// Says so if there are bits that mean nothing. They are ignored, as by
    /// Apple's and the toolchain's, which say nothing.
    @inline(__always)
    func checkKnown(
      _ label: String, among known: Attributes = [.concurrent, .initiallyInactive]
    ) {
      if !isSubset(of: known) { complainAboutUnknown(label, subtracting(known)) }
    }

    @inline(never)
    private func complainAboutUnknown(_ label: String, _ unknown: Attributes) {
      complain(
        "the queue \"\(label)\" was made with attributes that mean nothing to it, 0x"
          + "\(String(unknown.rawValue, radix: 16)): they are ignored.")
    }
  }

  /// The names that priorities had before there were classes.
  public enum GlobalQueuePriority: Sendable {
    /// The same as the class `userInitiated`.
    case high
    /// The queue of the class `.default`.
    case `default`
    /// The same as the class `utility`.
    case low
    /// The queue of the class `.background`.
    case background
  }

  /// When a queue empties its autorelease pools. Linux has none: accepted, and
  /// without effect.
  public enum AutoreleaseFrequency: Sendable {
    /// As the target queue.
    case inherit
    /// A pool around each item.
    case workItem
    /// No pool.
    case never
  }
}
