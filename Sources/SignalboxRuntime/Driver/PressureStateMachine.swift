// PressureStateMachine — how short of memory the process is, by signals that come again
// and again while it lasts.
//
// The kernel says when pressure is there, not when it has ended: the end is that no signal
// has come for a while. So time is kept under pressure, and only then.

/// How short of memory the process is.
package enum PressureLevel: UInt8, Comparable, Sendable {
  case normal, warning, critical

  package static func < (left: PressureLevel, right: PressureLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}

package struct PressureStateMachine {
  package private(set) var level = PressureLevel.normal
  private var warningEnd: UInt64 = 0
  private var criticalEnd: UInt64 = 0

  package init() {}

  /// How long no signal must have come: three of the windows within which the kernel
  /// signals once while pressure lasts. Two would be exactly as long as a process without
  /// privileges may have to wait, whose pressure the kernel averages once a window.
  package static var calm: UInt64 { 3 * PressureGauge.window * 1_000 }

  /// When the level may have to be lowered; nil where there is no pressure.
  package var deadline: UInt64? {
    switch level {
    case .normal: nil
    case .warning: warningEnd
    case .critical: criticalEnd
    }
  }

  /// The kernel says that there is so much pressure.
  ///
  /// - Returns: the new level, if it changed.
  package mutating func signalled(_ signal: PressureLevel, at now: UInt64) -> PressureLevel? {
    let end = now.saturatingAdd(PressureStateMachine.calm)
    // What is critical is worth a warning too.
    if signal >= .warning { warningEnd = max(warningEnd, end) }
    if signal == .critical { criticalEnd = max(criticalEnd, end) }
    return timePassed(to: now)
  }

  /// - Returns: the new level, if it changed.
  package mutating func timePassed(to now: UInt64) -> PressureLevel? {
    let old = level
    level = now < criticalEnd ? .critical : now < warningEnd ? .warning : .normal
    return level == old ? nil : level
  }
}
