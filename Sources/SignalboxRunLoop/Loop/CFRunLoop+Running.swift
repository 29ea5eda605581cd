// CFRunLoop+Running — how a run of a loop begins, ends and nests.
//
// Touching    `runs`: under the loop's lock; changed by the loop's own thread only.

import CSignalbox
import SignalboxRuntime

extension CFRunLoop {
  /// Given when a program runs a loop in the common modes.
  static let commonModesWarning = OnceWarning()

  /// Runs in the mode, on the loop's own thread.
  ///
  /// - Returns: nil if there was nothing to wait for; observers then see no run.
  func run(
    _ name: CFRunLoopMode, until limit: UInt64, leavesAfterSource: Bool
  ) -> CFRunLoopRunResult? {
    if name == .commonModes {
      CFRunLoop.commonModesWarning.give(
        "\(words) was asked to run in the common modes, which are a set of modes: it did not run. "
          + "Run it in one of them.")
      return nil
    }
    // The main loop may be run by its name, on a main thread that has never asked for its loop.
    if thread == 0 { _ = CFRunLoop.current }
    guard let (mode, mustStop) = beginRun(name) else { return nil }
    // A host that drains the toolchain's main queue outside this run does not drain it during
    // this run.
    let leftToolchain = mainQueueInput.leavesToolchain
    mainQueueInput.leavesToolchain = false
    tell(.entry, mode)
    let result = passes(mode, until: limit, leavesAfterSource: leavesAfterSource)
    tell(.exit(result), mode)
    mainQueueInput.leavesToolchain = leftToolchain
    state.endRun(mustStop)
    endRun()
    return result
  }

  /// - Returns: the mode, if it has work, and whether the enclosing run, if any, was already
  ///   stopped. That stop takes effect when the enclosing run continues.
  private func beginRun(_ name: CFRunLoopMode) -> (mode: LoopMode, mustStop: Bool)? {
    lock.lock()
    defer { lock.unlock() }
    let mode = self.mode(named: name)
    guard hasWork(mode) else { return nil }
    // Do this before other threads can see the run: from then on, a stop is meant for it.
    let mustStop = state.takeStop() && !runs.isEmpty
    if runs.isEmpty { runsBegun &+= 1 }
    runs.append(mode)
    return (mode, mustStop)
  }

  func endRun() {
    lock.lock()
    runs.removeLast()
    let wasNested = !runs.isEmpty
    let unattended = wasNested ? [] : waiters
    lock.unlock()
    // The wake-up of this run may have been meant for the enclosing run, which may be about to
    // sleep; make it look once more.
    if wasNested { wakeUp() } else { leaveMainQueue() }
    for waiter in unattended { waiter.noteUnattended() }
  }

  /// The mode in which the loop runs now. Call from any thread.
  var currentMode: CFRunLoopMode? { lock.withLock { runs.last }?.name }

  // MARK: Any thread

  /// Makes the loop look at all its inputs again, if it sleeps or is about to. One system call
  /// if it sleeps, otherwise none.
  func wakeUp() {
    if state.wake() { makeReadable() }
  }

  /// Ends the innermost run, if there is one.
  func stop() {
    if state.stop() { makeReadable() }
  }

  private func makeReadable() {
    // In a forked child, the descriptor of a thread that the fork left behind belongs to the
    // parent.
    if !Fork.hasLost(thread) { sleeper.sleeper.wake() }
  }
}
