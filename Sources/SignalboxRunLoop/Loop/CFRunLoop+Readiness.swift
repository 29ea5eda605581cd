// CFRunLoop+Readiness — tells, without making a pass, whether a pass would find work.

import SignalboxRuntime

extension CFRunLoop {
  /// Whether a pass in this mode would find anything to do now. Records the descriptors' events
  /// for the next pass. Costs one system call.
  func isReady(_ mode: LoopMode) -> Bool {
    let isTold = note(preparedSleeper(mode).look().events, mode)
    lock.lock()
    let sources = mode.sources
    let hasBlocks = hasBlocks(for: mode) || hasCalls(for: mode)
    lock.unlock()
    return isTold || hasBlocks || hasMoreInputs(mode) || performs.hasInOrder(for: mode)
      || sources.contains { $0.isSignalled } || isDue(mode)
  }

  private func isDue(_ mode: LoopMode) -> Bool {
    let deadline = nextDeadline(mode)
    return deadline != UptimeLimit.never && deadline <= Clock.uptime.now
  }
}
