// LoopAttendant — what a module above has a loop do besides: at the end of its passes, and
// when it has nothing else to do. `SignalboxFoundation` posts queued notifications so.
//
// It is no observer: it needs no lock, keeps no loop running, and costs a pass one test of a
// flag while it wants nothing.
//
// Touching    everything: the loop's own thread.

import SignalboxRuntime

/// Who attends a loop. It lives until the loop's thread ends.
package protocol LoopAttendant: AnyObject {
  /// A pass in a mode is over, or about to sleep.
  ///
  /// - Returns: whether anything is left for later passes, in any mode.
  func finishPass(in mode: RunLoop.Mode, isCommon: Bool) -> Bool

  /// Whether it would do something in a mode if that were idle.
  func wantsIdleness(in mode: RunLoop.Mode, isCommon: Bool) -> Bool

  /// The loop has nothing to do in a mode.
  ///
  /// - Parameter isOver: whether that has changed since; to be asked after each step.
  /// - Returns: as `finishPass`.
  func useIdleness(in mode: RunLoop.Mode, isCommon: Bool, until isOver: () -> Bool) -> Bool
}

/// What a loop knows of its attendant.
struct LoopAttendance {
  fileprivate(set) var attendant: (any LoopAttendant)?
  /// Whether the attendant has something to do.
  fileprivate(set) var isWanted = false
  /// Whether more has come since it was last asked to.
  fileprivate(set) var isRenewed = false
}

extension CFRunLoop {
  /// The attendant of the calling thread's loop; once it has one it keeps it.
  package static var attendantOfThisThread: (any LoopAttendant)? {
    get { current.attendance.attendant }
    set { current.attendance.attendant = newValue }
  }

  /// The attendant of the calling thread's loop has something to do.
  package static func attendThisThread() {
    let loop = current
    loop.attendance.isWanted = true
    loop.attendance.isRenewed = true
    // A loop that is hosted is asleep while its thread is not.
    if loop.state.isAsleep { loop.wakeUp() }
  }

  /// The pass is over. The caller has asked whether anybody is wanted.
  @inline(never)
  func attendPass(_ mode: LoopMode) {
    guard let attendant = attendance.attendant else { return }
    attendance.isRenewed = false
    note(attendant.finishPass(in: RunLoop.Mode(mode.name), isCommon: mode.isCommon))
  }

  /// The loop is about to sleep. The caller has asked whether anybody is wanted.
  ///
  /// - Returns: whether it may.
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

  /// On the thread that ends.
  func dismissAttendant() {
    let old = attendance
    attendance = LoopAttendance()
    withExtendedLifetime(old) {}
  }
}

extension RunLoop {
  /// Whether a mode belongs to the loop's common ones. Any thread.
  package func isCommon(_ mode: RunLoop.Mode) -> Bool {
    loop.lock.withLock { loop.existingMode(named: CFRunLoopMode(mode))?.isCommon ?? false }
  }
}
