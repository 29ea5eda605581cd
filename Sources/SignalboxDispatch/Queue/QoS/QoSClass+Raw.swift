// QoSClass+Raw — the quality-of-service classes under their C names and numbers.

import SignalboxRuntime

/// A quality-of-service class as C code names it.
///
/// Source: Apple's `<sys/qos.h>`.
public struct qos_class_t: RawRepresentable, Equatable, Hashable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Creates the class with this number in C.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// `.userInteractive`.
public var QOS_CLASS_USER_INTERACTIVE: qos_class_t { qos_class_t(0x21) }
/// `.userInitiated`.
public var QOS_CLASS_USER_INITIATED: qos_class_t { qos_class_t(0x19) }
/// `.default`.
public var QOS_CLASS_DEFAULT: qos_class_t { qos_class_t(0x15) }
/// `.utility`.
public var QOS_CLASS_UTILITY: qos_class_t { qos_class_t(0x11) }
/// `.background`.
public var QOS_CLASS_BACKGROUND: qos_class_t { qos_class_t(0x09) }
/// No class.
public var QOS_CLASS_UNSPECIFIED: qos_class_t { qos_class_t(0x00) }

extension DispatchQoS.QoSClass {
  /// The class with this number, if there is one.
  public init?(rawValue: qos_class_t) {
    guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = found
  }

  /// The class's number.
  public var rawValue: qos_class_t {
    switch self {
    case .userInteractive: QOS_CLASS_USER_INTERACTIVE
    case .userInitiated: QOS_CLASS_USER_INITIATED
    case .default: QOS_CLASS_DEFAULT
    case .utility: QOS_CLASS_UTILITY
    case .background: QOS_CLASS_BACKGROUND
    case .unspecified: QOS_CLASS_UNSPECIFIED
    }
  }
}

/// The quality-of-service class of this thread's current item: the item's own, or else that of
/// its queue. On a thread that runs no item, it is the class of its `Thread`, or
/// `QOS_CLASS_UNSPECIFIED` if none was set.
///
/// *Differences*: on Apple's platforms every thread has a class; here a thread has none unless
/// you set one.
///
/// Source: Apple's `<sys/qos.h>`.
public func qos_class_self() -> qos_class_t {
  DispatchQoS(Urgency.ofThisThread).qosClass.rawValue
}
