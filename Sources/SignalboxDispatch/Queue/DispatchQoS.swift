// DispatchQoS — how urgent work is.

import SignalboxRuntime

/// A quality of service: a class, and a priority within it.
///
/// Source: Apple's documentation of `DispatchQoS`.
public struct DispatchQoS: Equatable, Hashable, Sendable {
  /// The class.
  public let qosClass: QoSClass
  /// The priority within the class: 0 down to -15.
  public let relativePriority: Int

  /// Makes a quality of service.
  ///
  /// - Parameters:
  ///   - qosClass: the class.
  ///   - relativePriority: 0 or less, -15 at least; anything else traps.
  public init(qosClass: DispatchQoS.QoSClass, relativePriority: Int) {
    if relativePriority > 0 || relativePriority < -15 {
      clientBug(
        "DispatchQoS(qosClass: .\(qosClass), relativePriority: \(relativePriority)): "
          + "the relative priority must be 0 or less and at least -15.")
    }
    self.init(unchecked: qosClass, relativePriority)
  }

  private init(unchecked qosClass: QoSClass, _ relativePriority: Int = 0) {
    self.qosClass = qosClass
    self.relativePriority = relativePriority
  }

  /// Work the user does not see, such as backups.
  public static let background = DispatchQoS(unchecked: .background)
  /// Long work whose progress the user may follow.
  public static let utility = DispatchQoS(unchecked: .utility)
  /// The class in the middle.
  public static let `default` = DispatchQoS(unchecked: .default)
  /// Work that the user waits for.
  public static let userInitiated = DispatchQoS(unchecked: .userInitiated)
  /// Work that the user sees move.
  public static let userInteractive = DispatchQoS(unchecked: .userInteractive)
  /// No statement: the class is found from where the work runs.
  public static let unspecified = DispatchQoS(unchecked: .unspecified)

  /// What an urgency of the pool is called here.
  init(_ urgency: Urgency) {
    guard let band = urgency.band else {
      self.init(unchecked: .unspecified)
      return
    }
    self.init(unchecked: QoSClass(band), Int(urgency.rawValue) - Int(Urgency(band).rawValue))
  }

  /// What the pool makes of it.
  var urgency: Urgency {
    qosClass.band.map { Urgency($0, relativePriority: relativePriority) } ?? .unspecified
  }

  /// The classes, from the least to the most urgent.
  public enum QoSClass: Sendable, CaseIterable {
    /// For what nobody sees.
    case background
    /// For what takes a while, and somebody sees its progress.
    case utility
    /// Where nothing was said.
    case `default`
    /// For what somebody waits for.
    case userInitiated
    /// For what is drawn or answered at this moment.
    case userInteractive
    /// None: what submits the work decides.
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

    /// The band of the pool that serves the class; nil for `unspecified`.
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

/// Whether class and relative priority are the same.
public func == (a: DispatchQoS, b: DispatchQoS) -> Bool {
  a.qosClass == b.qosClass && a.relativePriority == b.relativePriority
}
