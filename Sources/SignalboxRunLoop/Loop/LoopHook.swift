// LoopHook — extra work that a module above gives to a loop: at the end of its passes, and
// when the loop is idle. `SignalboxFoundation` posts queued notifications this way.
//
// Unlike an observer, a hook needs no lock and keeps no loop running. While it has no
// work, a pass pays for one test of a flag.
//
// Touching    everything: the loop's own thread.

import SignalboxRuntime

/// Does extra work for a loop. It lives until the loop's thread ends.
package protocol LoopHook: AnyObject {
  /// Called when a pass in a mode is over, or the loop is about to sleep.
  ///
  /// - Returns: whether work remains for later passes, in any mode.
  func finishPass(in mode: RunLoop.Mode, isCommon: Bool) -> Bool

  /// Whether the hook has work to do in a mode while the loop is idle there.
  func wantsIdleness(in mode: RunLoop.Mode, isCommon: Bool) -> Bool

  /// Called when the loop is idle in a mode.
  ///
  /// - Parameter isOver: returns whether the loop is no longer idle. Call it after each step.
  /// - Returns: whether work remains for later passes, as with `finishPass`.
  func useIdleness(in mode: RunLoop.Mode, isCommon: Bool, until isOver: () -> Bool) -> Bool
}

/// A loop's hook and its pending work.
struct LoopHookState {
  fileprivate(set) var hook: (any LoopHook)?
  /// Whether the hook has work.
  fileprivate(set) var isWanted = false
  /// Whether new work has arrived since the hook was last called.
  fileprivate(set) var isRenewed = false
}

extension CFRunLoop {
  /// The hook of the calling thread's loop. Once set, it stays.
  package static var hookOfThisThread: (any LoopHook)? {
    get { current.hookState.hook }
    set { current.hookState.hook = newValue }
  }

  /// Tells the calling thread's loop that its hook has work.
  package static func noteHookWork() {
    let loop = current
    loop.hookState.isWanted = true
    loop.hookState.isRenewed = true
    // A hosted loop may count as asleep although its thread runs.
    if loop.state.isAsleep { loop.wakeUp() }
  }

  /// Calls the hook at the end of a pass. The caller has tested `isWanted`.
  @inline(never)
  func callHook(_ mode: LoopMode) {
    guard let hook = hookState.hook else { return }
    hookState.isRenewed = false
    note(hook.finishPass(in: RunLoop.Mode(mode.name), isCommon: mode.isCommon))
  }

  /// Calls the hook before a sleep. The caller has tested `isWanted`.
  ///
  /// - Returns: whether the loop may sleep.
  @inline(never)
  func callHookBeforeSleep(_ mode: LoopMode) -> Bool {
    callHook(mode)
    guard let hook = hookState.hook, !hookState.isRenewed else { return false }
    let (name, isCommon) = (RunLoop.Mode(mode.name), mode.isCommon)
    guard hook.wantsIdleness(in: name, isCommon: isCommon) else { return true }
    var isBusy = isReady(mode)
    if isBusy { return false }
    note(
      hook.useIdleness(in: name, isCommon: isCommon) { [self] in
        if !isBusy { isBusy = isReady(mode) || state.isWoken || hookState.isRenewed }
        return isBusy
      })
    return !isBusy
  }

  private func note(_ hasMore: Bool) { hookState.isWanted = hasMore || hookState.isRenewed }

  /// Runs on the ending thread.
  func dismissHook() {
    let old = hookState
    hookState = LoopHookState()
    withExtendedLifetime(old) {}
  }
}

extension RunLoop {
  /// Whether a mode is one of the loop's common modes. Call from any thread.
  package func isCommon(_ mode: RunLoop.Mode) -> Bool {
    loop.lock.withLock { loop.existingMode(named: CFRunLoopMode(mode))?.isCommon ?? false }
  }
}
