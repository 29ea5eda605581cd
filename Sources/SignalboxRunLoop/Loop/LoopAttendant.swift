// LoopAttendant — extra work that a module above gives to a loop: at the end of its passes, and
// when the loop is idle. `SignalboxFoundation` posts queued notifications this way.
//
// Unlike an observer, an attendant needs no lock and keeps no loop running. While it has no
// work, a pass pays for one test of a flag.
//
// Touching    everything: the loop's own thread.

import SignalboxRuntime

/// Does extra work for a loop. It lives until the loop's thread ends.
package protocol LoopAttendant: AnyObject {
  /// Called when a pass in a mode is over, or the loop is about to sleep.
  ///
  /// - Returns: whether work remains for later passes, in any mode.
  func finishPass(in mode: RunLoop.Mode, isCommon: Bool) -> Bool

  /// Whether the attendant would work in a mode if the loop were idle there.
  func wantsIdleness(in mode: RunLoop.Mode, isCommon: Bool) -> Bool

  /// Called when the loop is idle in a mode.
  ///
  /// - Parameter isOver: whether the loop is no longer idle. Ask after each step.
  /// - Returns: whether work remains for later passes, as with `finishPass`.
  func useIdleness(in mode: RunLoop.Mode, isCommon: Bool, until isOver: () -> Bool) -> Bool
}

/// A loop's attendant and its pending work.
struct LoopAttendance {
  fileprivate(set) var attendant: (any LoopAttendant)?
  /// Whether the attendant has work.
  fileprivate(set) var isWanted = false
  /// Whether new work has arrived since the attendant was last called.
  fileprivate(set) var isRenewed = false
}

extension CFRunLoop {
  /// The attendant of the calling thread's loop. Once set, it stays.
  package static var attendantOfThisThread: (any LoopAttendant)? {
    get { current.attendance.attendant }
    set { current.attendance.attendant = newValue }
  }

  /// Tells the calling thread's loop that its attendant has work.
  package static func attendThisThread() {
    let loop = current
    loop.attendance.isWanted = true
    loop.attendance.isRenewed = true
    // A hosted loop is asleep while its thread runs.
    if loop.state.isAsleep { loop.wakeUp() }
  }

  /// Calls the attendant at the end of a pass. The caller has tested `isWanted`.
  @inline(never)
  func attendPass(_ mode: LoopMode) {
    guard let attendant = attendance.attendant else { return }
    attendance.isRenewed = false
    note(attendant.finishPass(in: RunLoop.Mode(mode.name), isCommon: mode.isCommon))
  }

  /// Calls the attendant before a sleep. The caller has tested `isWanted`.
  ///
  /// - Returns: whether the loop may sleep.
  @inline(never)
  func attendSleep(_ mode: LoopMode) -> Bool {
    attendPass(mode)
    guard let attendant = attendance.attendant, !attendance.isRenewed else { return false }
    let (name, isCommon) = (RunLoop.Mode(mode.name), mode.isCommon)
    guard attendant.wantsIdleness(in: name, isCommon: isCommon) else { return true }
    var isBusy = isReady(mode)
    if isBusy { return false }
    note(
      attendant.useIdleness(in: name, isCommon: isCommon) { [self] in
        if !isBusy { isBusy = isReady(mode) || state.isWoken || attendance.isRenewed }
        return isBusy
      })
    return !isBusy
  }

  private func note(_ hasMore: Bool) { attendance.isWanted = hasMore || attendance.isRenewed }

  /// Runs on the ending thread.
  func dismissAttendant() {
    let old = attendance
    attendance = LoopAttendance()
    withExtendedLifetime(old) {}
  }
}

extension RunLoop {
  /// Whether a mode is one of the loop's common modes. Call from any thread.
  package func isCommon(_ mode: RunLoop.Mode) -> Bool {
    loop.lock.withLock { loop.existingMode(named: CFRunLoopMode(mode))?.isCommon ?? false }
  }
}
