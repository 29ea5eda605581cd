// DispatchWorkItemFlags — how to run an item.

import SignalboxRuntime

/// Options for running a work item.
///
/// Bits without a meaning trap when the flags are used. Apple creates no item from them, and the
/// program fails later without a message.
///
/// Source: Apple's documentation of `DispatchWorkItemFlags`.
public struct DispatchWorkItemFlags: OptionSet, RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Runs the item alone on a concurrent queue: after everything before it, and before everything
  /// after it. It has no effect on serial and global queues.
  public static var barrier: DispatchWorkItemFlags { Self(rawValue: 0x1) }
  /// The item inherits nothing from the code that submits it.
  public static var detached: DispatchWorkItemFlags { Self(rawValue: 0x2) }
  /// The item inherits the context of the code that creates it.
  public static var assignCurrentContext: DispatchWorkItemFlags { Self(rawValue: 0x4) }
  /// The item has no quality of service.
  public static var noQoS: DispatchWorkItemFlags { Self(rawValue: 0x8) }
  /// The queue's quality of service takes precedence over the item's.
  public static var inheritQoS: DispatchWorkItemFlags { Self(rawValue: 0x10) }
  /// The item's quality of service takes precedence over the queue's.
  public static var enforceQoS: DispatchWorkItemFlags { Self(rawValue: 0x20) }

  /// Traps if the flags contain bits without a meaning.
  @inlinable @inline(__always)
  func checkKnown() {
    if rawValue > 0x3F { trapUnknown() }
  }

  @inline(never) @usableFromInline
  func trapUnknown() -> Never {
    clientBug(
      "DispatchWorkItemFlags(rawValue: 0x\(String(rawValue, radix: 16))): the bits "
        + "0x\(String(rawValue & ~0x3F, radix: 16)) have no meaning. Use only the named flags.")
  }
}
