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

  /// - Parameter isCommon: whether the mode is a common one.
  func contains(_ mode: SignalboxRunLoop.RunLoop.Mode, isCommon: Bool) -> Bool {
    switch self {
    case .one(let one): one == mode || isCommon && one == .common
    case .several(let all): all.contains(mode) || isCommon && all.contains(.common)
    }
  }

  /// These and the others.
  mutating func add(_ others: NotificationModes) {
    if case .one(let one) = self, case .one(let other) = others, one == other { return }
    let new = others.all.filter { !all.contains($0) }
    if !new.isEmpty { self = .several(all + new) }
  }

  private var all: [SignalboxRunLoop.RunLoop.Mode] {
    switch self {
    case .one(let one): [one]
    case .several(let all): all
    }
  }
}
