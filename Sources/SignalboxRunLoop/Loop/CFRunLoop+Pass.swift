// CFRunLoop+Pass — the steps of a pass, in the order of Apple's "Run Loops".
//
//  1  tell observers that the run begins                             (CFRunLoop+Running)
//  2  … that timers are about to fire
//  3  … that sources other than ports are about to fire
//  4  perform blocks, ordered performs and calls of other threads, then signalled sources other
//     than ports
//  5  if a port is ready, or the main queue has work, go to 9
//  6  tell observers that the thread is about to sleep
//  7  sleep until a port is ready, a timer is due, the run's time is over, or a thread wakes it
//  8  tell observers that the thread woke up
//  9  fire timers, do delayed performs, the main queue, ports, blocks; go to 2, or
// 10  tell observers that the run ends                               (CFRunLoop+Running)
//
// Touching    everything: the loop's own thread.
// Sources     Apple, "Threading Programming Guide", "The Run Loop Sequence of Events".

import SignalboxRuntime

extension CFRunLoop {
  /// Repeats steps 2 to 9 until there is a reason to leave.
  ///
  /// - Parameters:
  ///   - limit: when to leave, on the uptime clock; see `UptimeLimit`.
  ///   - leavesAfterSource: whether to leave after an input source was handled.
  func passes(
    _ mode: LoopMode, until limit: UInt64, leavesAfterSource: Bool
  ) -> CFRunLoopRunResult {
    while true {
      state.beginPass()
      tell(.beforeTimers, mode)
      tell(.beforeSources, mode)

      // Step 4
      performBlocks(mode)
      performInOrder(mode)
      var hasHandled = performSources(mode, onlyOne: leavesAfterSource)
      if hasHandled { performBlocks(mode) }

      // Steps 5 to 8
      let maySleep = !hasHandled && limit != UptimeLimit.passed
      if inputIsReady(mode, sleepsElse: maySleep) {
        tell(.inputIsReady, mode)
      } else if maySleep && !isFinished(mode) && (!hookState.isWanted || callHookBeforeSleep(mode))
      {
        tell(.beforeWaiting, mode)
        // An observer may just have given the hook work; do not sleep then.
        if !hookState.isRenewed { sleep(mode, until: limit) }
        tell(.afterWaiting, mode)
      }

      // Step 9
      fireTimers(mode)
      performDelayed(mode)
      if serveMainQueue(mode) { hasHandled = true }
      // Do this even if a source was handled, so that sources that are always ready do not starve
      // the ports.
      if performPorts(mode, onlyOne: leavesAfterSource) { hasHandled = true }
      performBlocks(mode)
      if hookState.isWanted { callHook(mode) }

      if hasHandled && leavesAfterSource { return .handledSource }
      // Check this before the time limit: a program that runs its loop repeatedly until it is
      // stopped must see a stop that comes in the run's last pass.
      if state.takeStop() { return .stopped }
      if limit != UptimeLimit.never, limit == UptimeLimit.passed || Clock.uptime.now >= limit {
        return .timedOut
      }
      if isFinished(mode) { return .finished }
    }
  }

  /// Step 7. Looks once more at what may have arrived, then sleeps. Goes back to sleep after
  /// events that are no reason to wake: a signal, or a wake-up that was already handled.
  private func sleep(_ mode: LoopMode, until limit: UInt64) {
    let begin = Clock.uptime.now
    defer { spin.hasWaited(Clock.uptime.now.saturatingSubtract(begin)) }
    let sleeper = preparedSleeper(mode)
    let maySpin = !state.isWoken && spin.mayPay()
    if maySpin { spinFirst(mode, sleeper, from: begin, until: limit) }
    guard state.beginSleep() else { return tell(.wokenUp, mode) }
    // From now on, a thread that adds an earlier deadline wakes the loop.
    let deadline = min(limit, nextDeadline(mode))
    if !maySpin { tell(.asleep, mode) }
    while true {
      let found = sleeper.sleep(until: deadline, in: mode)
      let isReady = note(found.events, mode)
      let isLate = deadline != UptimeLimit.never && Clock.uptime.now >= deadline
      if !isReady && !isLate && state.sleepsOn() { continue }
      if state.endSleep() { tell(.wokenUp, mode) }
      if isLate && deadline == limit { tell(.late, mode) }
      return
    }
  }

  /// Spins for a few microseconds, in which other threads need no system call to wake the loop.
  /// Subscribers to the loop's steps already see it as asleep.
  @inline(never)
  private func spinFirst(
    _ mode: LoopMode, _ sleeper: LoopSleeper, from begin: UInt64, until limit: UInt64
  ) {
    tell(.asleep, mode)
    let end = min(begin + AdaptiveSpin.length, limit, nextDeadline(mode))
    let hasCome = AdaptiveSpin.run(until: end) {
      state.isWoken || mainQueueHasWork(mode)
    } orNowAndThen: {
      sleeper.isReady
    }
    spin.hasSpun(findingSomething: hasCome)
  }

  /// Whether the loop has nothing left to wait for in this mode.
  func isFinished(_ mode: LoopMode) -> Bool {
    lock.withLock { !hasWork(mode) }
  }

  /// Whether the mode has anything to wait for or to do. Call on the loop's thread, holding the
  /// lock.
  func hasWork(_ mode: LoopMode) -> Bool {
    !mode.isEmpty || servesMainQueue(mode) || hasBlocks(for: mode) || hasCalls(for: mode)
      || performs.hasAny(for: mode)
  }

  /// When the next timer of the mode is due, on the uptime clock.
  func nextDeadline(_ mode: LoopMode) -> UInt64 {
    min(lock.withLock { mode.timers.next }, performs.nextDeadline(for: mode))
  }
}
