// PressureStateMachine — how short of memory the process is, from the kernel's repeated
// signals.
//
// The kernel signals again and again while pressure lasts, but not when it ends. Pressure
// has ended when no signal has arrived for a while. So a timer runs under pressure, and
// only then.

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

  /// Pressure counts as ended this long after the last signal: three windows. The kernel signals
  /// once in each window. Two windows are not enough: a process without privileges may have to wait
  /// that long for a signal, because the kernel averages its pressure once a window.
  package static var calm: UInt64 { 3 * PressureTrigger.window * 1_000 }

  /// When the level may have to be lowered; nil if there is no pressure.
  package var deadline: UInt64? {
    switch level {
    case .normal: nil
    case .warning: warningEnd
    case .critical: criticalEnd
    }
  }

  /// The kernel has signalled pressure.
  ///
  /// - Returns: the new level, if it changed.
  package mutating func signalled(_ signal: PressureLevel, at now: UInt64) -> PressureLevel? {
    let end = now.saturatingAdd(PressureStateMachine.calm)
    // Critical pressure implies a warning.
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
