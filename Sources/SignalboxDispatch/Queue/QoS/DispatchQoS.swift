// DispatchQoS — the quality of service of work.

import SignalboxRuntime

/// A quality of service: a class, and a priority within it.
///
/// Source: Apple's documentation of `DispatchQoS`.
public struct DispatchQoS: Equatable, Hashable, Sendable {
  /// The class.
  public let qosClass: QoSClass
  /// The priority within the class, as it was given. One outside 0 down to -15 counts as the
  /// nearest of these.
  public let relativePriority: Int

  /// Creates a quality of service.
  ///
  /// - Parameters:
  ///   - qosClass: the class.
  ///   - relativePriority: from 0 down to -15. Any other value is kept, and counts as the nearest
  ///     of these.
  public init(qosClass: DispatchQoS.QoSClass, relativePriority: Int) {
    self.qosClass = qosClass
    self.relativePriority = relativePriority
  }

  private init(of qosClass: QoSClass) { self.init(qosClass: qosClass, relativePriority: 0) }

  /// Work that the user does not see, such as backups.
  public static var background: DispatchQoS { Self(of: .background) }
  /// Long work whose progress the user may follow.
  public static var utility: DispatchQoS { Self(of: .utility) }
  /// The class between `utility` and `userInitiated`.
  public static var `default`: DispatchQoS { Self(of: .default) }
  /// Work that the user waits for.
  public static var userInitiated: DispatchQoS { Self(of: .userInitiated) }
  /// Work that the user watches, such as animations.
  public static var userInteractive: DispatchQoS { Self(of: .userInteractive) }
  /// No class: the queue, or else the code that submits the work, determines it.
  public static var unspecified: DispatchQoS { Self(of: .unspecified) }

  init(_ urgency: Urgency) {
    guard let band = urgency.band else {
      self.init(of: .unspecified)
      return
    }
    self.init(
      qosClass: QoSClass(band),
      relativePriority: Int(urgency.rawValue) - Int(Urgency(band).rawValue))
  }

  var urgency: Urgency {
    guard let band = qosClass.band else { return .unspecified }
    return Urgency(band, relativePriority: min(0, max(-15, relativePriority)))
  }

  /// The classes, from the least to the most urgent.
  public enum QoSClass: Sendable, CaseIterable {
    /// Work that the user does not see.
    case background
    /// Work that takes a while and shows its progress.
    case utility
    /// The class of work for which nothing is specified.
    case `default`
    /// Work that the user waits for.
    case userInitiated
    /// Work that draws or responds at this moment.
    case userInteractive
    /// No class: the queue, or else the code that submits the work, determines it.
    case unspecified

    init(_ band: Band) {
      switch band {
      case .background: self = .background
      case .utility: self = .utility
      case .standard: self = .default
      case .userInitiated: self = .userInitiated
      case .userInteractive: self = .userInteractive
      }
    }

    /// The pool's band for the class; nil for `unspecified`.
    var band: Band? {
      switch self {
      case .background: .background
      case .utility: .utility
      case .default: .standard
      case .userInitiated: .userInitiated
      case .userInteractive: .userInteractive
      case .unspecified: nil
      }
    }
  }
}

/// Whether the classes and the relative priorities are equal.
public func == (a: DispatchQoS, b: DispatchQoS) -> Bool {
  a.qosClass == b.qosClass && a.relativePriority == b.relativePriority
}
