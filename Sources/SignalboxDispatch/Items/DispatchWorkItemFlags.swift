// DispatchWorkItemFlags — how an item is to be run.

import SignalboxRuntime

/// How a work item is to be run.
///
/// Bits that mean nothing trap where the flags are used: Apple's makes no item of
/// them, and then fails without a word.
///
/// Source: Apple's documentation of `DispatchWorkItemFlags`.
public struct DispatchWorkItemFlags: OptionSet, RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Alone on a concurrent queue: after everything before it, before
  /// everything after it. On serial and global queues: as without it.
  public static let barrier = DispatchWorkItemFlags(rawValue: 0x1)
  /// Takes nothing over from who submits it.
  public static let detached = DispatchWorkItemFlags(rawValue: 0x2)
  /// Takes over what is current where it was made.
  public static let assignCurrentContext = DispatchWorkItemFlags(rawValue: 0x4)
  /// Has no class of its own.
  public static let noQoS = DispatchWorkItemFlags(rawValue: 0x8)
  /// The queue's class counts more than the item's.
  public static let inheritQoS = DispatchWorkItemFlags(rawValue: 0x10)
  /// The item's class counts more than the queue's.
  public static let enforceQoS = DispatchWorkItemFlags(rawValue: 0x20)

  /// Traps if there are bits that mean nothing.
  @inlinable @inline(__always)
  func checkKnown() {
    if rawValue > 0x3F { trapUnknown() }
  }

  @inline(never) @usableFromInline
  func trapUnknown() -> Never {
    clientBug(
      "DispatchWorkItemFlags(rawValue: 0x\(String(rawValue, radix: 16))): the bits 0x"
        + "\(String(rawValue & ~0x3F, radix: 16)) mean nothing. Use the flags that have names.")
  }
}
