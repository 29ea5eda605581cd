// DispatchConcurrentQueue — a concurrent queue with a class of its own.

/// A queue that runs its items concurrently, except barriers.
///
/// *Differences*: on Apple's platforms every concurrent queue is of this class; here only those
/// that you create with this initializer are.
///
/// Source: Apple's documentation of `DispatchConcurrentQueue`.
public final class DispatchConcurrentQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY: it adds nothing to its superclass.

  /// Options for creating a concurrent queue.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The queue starts nothing before you call `activate()`.
    public static var initiallyInactive: Attributes { Self(rawValue: 1 << 2) }
  }

  /// Creates a concurrent queue.
  ///
  /// - Parameters:
  ///   - label: a name for reports.
  ///   - qos: the quality of service of its items.
  ///   - attributes: `.initiallyInactive`, or empty for a queue that is active at once.
  ///   - autoreleaseFrequency: has no effect, because Linux has no autorelease pools.
  ///   - target: the queue on which its items run; nil for the pool.
  public init(
    label: String, qos: DispatchQoS = .unspecified,
    attributes: DispatchConcurrentQueue.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem,
    target: DispatchQueue? = nil
  ) {
    let all = DispatchQueue.Attributes(rawValue: attributes.rawValue)
    all.checkKnown(label, among: .initiallyInactive)
    super.init(
      shape: .concurrent, label: label, qos: qos, inactive: all.contains(.initiallyInactive),
      target: target)
  }
}
