// NotificationModes — the modes of a run loop in which a queued notification may be posted.

import SignalboxRunLoop

enum NotificationModes {
  case one(SignalboxRunLoop.RunLoop.Mode)
  case several([SignalboxRunLoop.RunLoop.Mode])

  /// - Parameter modes: `nil` for the default one.
  init(_ modes: [SignalboxRunLoop.RunLoop.Mode]?) {
    guard let modes else {
      self = .one(.default)
      return
    }
    self = modes.count == 1 ? .one(modes[0]) : .several(modes)
  }

  /// Whether a mode is one of these as it was written: ``RunLoop/Mode/common`` means no other.
  func names(_ mode: SignalboxRunLoop.RunLoop.Mode) -> Bool { contains(mode, isCommon: false) }

  /// - Parameter isCommon: whether the mode is a common one.
  func contains(_ mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool) -> Bool {
    switch self {
    case .one(let one): one == mode || isCommon && one == .common
    case .several(let all): all.contains(mode) || isCommon && all.contains(.common)
    }
  }
}
