// QoSClass+Raw — the classes by the numbers that C code knows them by.

import SignalboxRuntime

/// A class of quality of service as C code names it.
///
/// Source: Apple's `<sys/qos.h>`.
public struct qos_class_t: RawRepresentable, Equatable, Hashable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The class of that number.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// `.userInteractive`.
public let QOS_CLASS_USER_INTERACTIVE = qos_class_t(0x21)
/// `.userInitiated`.
public let QOS_CLASS_USER_INITIATED = qos_class_t(0x19)
/// `.default`.
public let QOS_CLASS_DEFAULT = qos_class_t(0x15)
/// `.utility`.
public let QOS_CLASS_UTILITY = qos_class_t(0x11)
/// `.background`.
public let QOS_CLASS_BACKGROUND = qos_class_t(0x09)
/// No class.
public let QOS_CLASS_UNSPECIFIED = qos_class_t(0x00)

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

/// The class of what this thread runs: of the item, where that says something, else
/// of its queue. On a thread that runs no item that of the `Thread`, where it was given
/// one, else `QOS_CLASS_UNSPECIFIED`.
///
/// *Differences*: Apple's gives every thread a class; threads have none here unless
/// they were given one.
///
/// Source: Apple's `<sys/qos.h>`.
public func qos_class_self() -> qos_class_t {
  DispatchQoS(Urgency.ofThisThread).qosClass.rawValue
}
