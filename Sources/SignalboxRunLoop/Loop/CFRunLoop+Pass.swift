// CFRunLoop+Pass — what a loop does in which order: the ten steps of Apple's "Run Loops".
//
//  1  tell observers that the loop is entered                       (CFRunLoop+Running)
//  2  … that timers are about to fire
//  3  … that sources other than ports are about to fire
//  4  perform blocks, then sources that are ready and no ports
//  5  a port is ready: go to 9 at once
//  6  tell observers that the thread is about to sleep
//  7  sleep until a port is ready, a timer is due, it is late enough, or someone wakes it
//  8  tell observers that the thread woke up
//  9  handle what is pending; from 2 again, or
// 10  tell observers that the loop is left                          (CFRunLoop+Running)
//
// Touching    all of it: the loop's own thread.
// Sources     Apple, "Threading Programming Guide", "The Run Loop Sequence of Events".

import SignalboxRuntime

extension CFRunLoop {
  /// Steps 2 to 9, again and again until there is a reason to leave.
  ///
  /// - Parameters:
  ///   - limit: when to leave, on the uptime clock.
  ///   - leavesAfterSource: whether to leave when an input source was handled.
  func passes(
    _ mode: LoopMode, until limit: UInt64, leavesAfterSource: Bool
  ) -> CFRunLoopRunResult {
    while true {
      state.beginPass()
      tell(.beforeTimers, mode)
      tell(.beforeSources, mode)

      performBlocks(mode)
      performInOrder(mode)
      var hasHandled = performSources(mode, onlyOne: leavesAfterSource)
      if hasHandled { performBlocks(mode) }

      let maySleep = !hasHandled && limit != UptimeLimit.passed
      if inputIsReady(mode, sleepsElse: maySleep) {
        tell(.inputIsReady, mode)
      } else if maySleep && !isFinished(mode) && (!attendance.isWanted || attendSleep(mode)) {
        tell(.beforeWaiting, mode)
        // Nor where an observer has just given the attendant something.
        if !attendance.isRenewed { sleep(mode, until: limit) }
        tell(.afterWaiting, mode)
      }

      fireTimers(mode)
      performDelayed(mode)
      if serveMainQueue(mode) { hasHandled = true }
      // Also where a source was handled: those that come again and again keep no port waiting.
      if performPorts(mode, onlyOne: leavesAfterSource) { hasHandled = true }
      performBlocks(mode)
      if attendance.isWanted { attendPass(mode) }

      if hasHandled && leavesAfterSource { return .handledSource }
      if limit != UptimeLimit.never, limit == UptimeLimit.passed || Clock.uptime.now >= limit {
        return .timedOut
      }
      if state.takeStop() { return .stopped }
      if isFinished(mode) { return .finished }
    }
  }

  /// Step 7. Looks once more at what may have come, and sleeps through what is no reason to
  /// wake: a signal, a wake-up that was answered before.
  private func sleep(_ mode: LoopMode, until limit: UInt64) {
    let begin = Clock.uptime.now
    defer { spin.hasWaited(Clock.uptime.now - begin) }
    let sleeper = preparedSleeper(mode)
    let maySpin = !state.isWoken && spin.mayPay()
    if maySpin { spinFirst(mode, sleeper, from: begin, until: limit) }
    guard state.beginSleep() else { return tell(.wokenUp, mode) }
    // Whoever brings an earlier deadline from now on wakes the loop.
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

  /// Stays awake for some microseconds, in which others need no system call to wake the loop.
  /// For who hears of its steps it sleeps already.
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

  /// Whether nothing is left that the loop could wait for in this mode.
  func isFinished(_ mode: LoopMode) -> Bool {
    lock.withLock { !hasWork(mode) }
  }

  /// With the lock, on the loop's thread: whether there is something in the mode to wait for
  /// or to do.
  func hasWork(_ mode: LoopMode) -> Bool {
    !mode.isEmpty || servesMainQueue(mode) || hasBlocks(for: mode) || hasCalls(for: mode)
      || performs.hasAny(for: mode)
  }

  /// When the next timer of the mode is due, on the uptime clock.
  func nextDeadline(_ mode: LoopMode) -> UInt64 {
    min(lock.withLock { mode.timers.next }, performs.nextDeadline(for: mode))
  }
}
