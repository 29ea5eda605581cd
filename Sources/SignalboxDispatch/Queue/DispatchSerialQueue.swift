// DispatchSerialQueue — a serial queue whose type says so.

/// A queue that runs one item at a time.
///
/// *Differences*: on Apple's platforms every serial queue is of this class; here
/// only those made with this initialiser are. It is an actor's executor where the program
/// imports `SignalboxConcurrency`.
///
/// Source: Apple's documentation of `DispatchSerialQueue`.
public final class DispatchSerialQueue: DispatchQueue, @unchecked Sendable {
  // SAFETY: it adds nothing to its superclass.

  /// What can be asked of a serial queue when it is made.
  public struct Attributes: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Nothing starts before `activate()`.
    public static let initiallyInactive = Attributes(rawValue: 1 << 2)
  }

  /// Makes a serial queue.
  ///
  /// - Parameters:
  ///   - label: a name for reports.
  ///   - qos: how urgent its work is.
  ///   - attributes: `.initiallyInactive`; without it active.
  ///   - autoreleaseFrequency: accepted, without effect: there are no pools.
  ///   - target: where its work runs in the end. The pool, if nil.
  public init(
    label: String, qos: DispatchQoS = .unspecified,
    attributes: DispatchSerialQueue.Attributes = [],
    autoreleaseFrequency: DispatchQueue.AutoreleaseFrequency = .workItem,
    target: DispatchQueue? = nil
  ) {
    let all = DispatchQueue.Attributes(rawValue: attributes.rawValue)
    all.checkKnown(label, among: .initiallyInactive)
    super.init(
      shape: .serial, label: label, qos: qos, inactive: all.contains(.initiallyInactive),
      target: target)
  }
}
