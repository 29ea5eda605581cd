// DispatchQueue+Attributes — options for creating a queue.

import SignalboxRuntime

extension DispatchQueue {
  /// The kind of queue to create. Without an attribute, the queue is serial and active.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The queue runs its items concurrently.
    public static var concurrent: Attributes { Self(rawValue: 1 << 1) }
    /// The queue starts nothing before you call `activate()`.
    public static var initiallyInactive: Attributes { Self(rawValue: 1 << 2) }

    /// Warns about bits that have no meaning. Signalbox ignores them, as Apple's and the
    /// toolchain's libdispatch do without a warning.
    @inline(__always)
    func checkKnown(
      _ label: String, among known: Attributes = [.concurrent, .initiallyInactive]
    ) {
      if !isSubset(of: known) { warnAboutUnknown(label, subtracting(known)) }
    }

    @inline(never)
    private func warnAboutUnknown(_ label: String, _ unknown: Attributes) {
      warn(
        "the queue \"\(label)\" was created with attributes that have no meaning, "
          + "0x\(String(unknown.rawValue, radix: 16)): they are ignored.")
    }
  }

  /// The priorities that existed before quality-of-service classes.
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

  /// When a queue drains its autorelease pool. It has no effect, because Linux has no autorelease
  /// pools.
  public enum AutoreleaseFrequency: Sendable {
    /// The same as the target queue.
    case inherit
    /// A pool around each item.
    case workItem
    /// No pool.
    case never
  }
}
