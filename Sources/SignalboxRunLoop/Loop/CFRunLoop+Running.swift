// CFRunLoop+Running — a run of a loop: how one begins, how one ends, one within another.
//
// Touching    `runs`: under the loop's lock; changed by the loop's own thread only.

import CSignalbox
import SignalboxRuntime
import Synchronization

extension CFRunLoop {
  /// Runs in the mode, on the loop's own thread.
  ///
  /// - Returns: nil if there was nothing to wait for, and so nobody was told of a run.
  func run(
    _ name: CFRunLoopMode, until limit: UInt64, leavesAfterSource: Bool
  ) -> CFRunLoopRunResult? {
    if name == .commonModes {
      CommonModesComplaint.make(words)
      return nil
    }
    guard let (mode, mustStop) = beginRun(name) else { return nil }
    // Whoever serves the toolchain's main queue outside this run does not while it lasts.
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

  /// - Returns: the mode, if there is something in it; and whether the run around this one, if
  ///   there is one, was stopped: that waits until it goes on.
  private func beginRun(_ name: CFRunLoopMode) -> (mode: LoopMode, mustStop: Bool)? {
    lock.lock()
    defer { lock.unlock() }
    let mode = self.mode(named: name)
    guard hasWork(mode) else { return nil }
    // Before others can see the run: from then on a stop is meant for it.
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
    // What woke this run may have been meant for the one around it, which may be about to
    // sleep: that looks once more.
    if wasNested { wakeUp() } else { leaveMainQueue() }
    for waiter in unattended { waiter.noteUnattended() }
  }

  /// The mode in which the loop runs now. Any thread.
  var currentMode: CFRunLoopMode? { lock.withLock { runs.last }?.name }

  // MARK: Any thread

  /// Has the loop look at everything once more, if it sleeps or is about to. One system call
  /// if it sleeps, else none.
  func wakeUp() {
    if state.wake() { makeReadable() }
  }

  /// Has the innermost run end, if there is one.
  func stop() {
    if state.stop() { makeReadable() }
  }

  private func makeReadable() {
    // In a forked child the sleep of a thread that stayed behind is the parent's.
    if !Fork.hasLost(thread) { sleeper.sleeper.wake() }
  }
}

/// What is said once to who runs a loop in the common modes.
enum CommonModesComplaint {
  static let wasMade = Atomic<Bool>(false)

  static func make(_ loop: String) {
    // order: relaxed; only that it is said once matters.
    if wasMade.exchange(true, ordering: .relaxed) { return }
    complain(
      "\(loop) was asked to run in the common modes, which are no mode but a set of them: it did "
        + "not. Run it in one of them.")
  }
}
