// NotificationModes — the run-loop modes in which a queued notification may be posted.

import SignalboxRunLoop

enum NotificationModes {
  case one(SignalboxRunLoop.RunLoop.Mode)
  case several([SignalboxRunLoop.RunLoop.Mode])

  /// - Parameter modes: the modes, or `nil` for the default mode.
  init(_ modes: [SignalboxRunLoop.RunLoop.Mode]?) {
    guard let modes else {
      self = .one(.default)
      return
    }
    self = modes.count == 1 ? .one(modes[0]) : .several(modes)
  }

  /// Whether the list names this mode literally: ``RunLoop/Mode/common`` in the list matches no
  /// other mode.
  func names(_ mode: SignalboxRunLoop.RunLoop.Mode) -> Bool { contains(mode, isCommon: false) }

  /// - Parameter isCommon: whether the mode is a common mode.
  func contains(_ mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool) -> Bool {
    switch self {
    case .one(let one): one == mode || isCommon && one == .common
    case .several(let all): all.contains(mode) || isCommon && all.contains(.common)
    }
  }
}
