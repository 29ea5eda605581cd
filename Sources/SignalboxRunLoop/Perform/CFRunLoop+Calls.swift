// CFRunLoop+Calls — the blocks that other threads pass to a loop. Together they act as an input
// source, which exists while a call waits.
//
// Unlike the loop's other blocks, a call counts as a handled source, so it ends a run that
// returns after one.

import SignalboxRuntime
import SignalboxThreads

extension CFRunLoop {
  /// Queues a call and wakes the loop. Call from any thread.
  ///
  /// - Returns: whether the loop accepted the call. It refuses once its thread has ended.
  func call(
    _ modes: LoopBlocks.Modes, awaitedBy waiter: PerformCall?, _ block: @escaping () -> Void
  )
    -> Bool
  {
    let entry = LoopBlocks.Entry(modes: modes, block: block)
    lock.lock()
    let isTaken = !hasEnded
    if isTaken {
      comingCalls.append(entry)
      if let waiter { waiters.append(waiter) }
    }
    lock.unlock()
    if isTaken { wakeUp() }
    return isTaken
  }

  /// Removes a waiter whose wait has ended.
  func forget(_ waiter: PerformCall) {
    lock.withLock { waiters.removeAll { $0 === waiter } }
  }

  /// Step 4: performs the calls that were queued before this step began.
  ///
  /// - Parameter taken: the calls that arrived since the last time.
  /// - Returns: whether there was any.
  func performCalls(_ mode: LoopMode, _ taken: consuming [LoopBlocks.Entry]) -> Bool {
    if taken.isEmpty && calls.isEmpty { return false }
    let end = calls.append(taken)
    taken = []
    let isCommon = mode.isCommon
    var next = 0
    var hasAny = false
    while let block = calls.take(from: &next, below: end, mode.name, isCommon: isCommon) {
      hasAny = true
      tell(.perform, mode)
      block()
    }
    return hasAny
  }

  /// Whether a call waits for the mode. Call on the loop's thread, holding the lock.
  func hasCalls(for mode: LoopMode) -> Bool {
    calls.hasAny(for: mode.name, isCommon: mode.isCommon)
      || comingCalls.contains { $0.modes.contains(mode.name, isCommon: mode.isCommon) }
  }

  // MARK: Whose loop

  /// The loop of a thread, created if there is none yet. Call from any thread.
  ///
  /// - Returns: nil if the thread has ended.
  static func of(_ thread: Thread) -> CFRunLoop? {
    let record = thread.record
    if let loop = kept(by: record) { return record.isLost ? nil : loop }
    if record.life.phase == .finished || record.isLost { return nil }
    // The main thread may be about to enter its record, which does not say yet that it is the main
    // one.
    let new = thread.isMainThread || thread === Thread.main ? main : CFRunLoop()
    return record.keepLoop(new).map { unsafeDowncast($0, to: CFRunLoop.self) }
  }

  static func kept(by record: ThreadRecord) -> CFRunLoop? {
    // SAFETY: only loops are stored there.
    record.loop.map { unsafeDowncast($0, to: CFRunLoop.self) }
  }
}

extension LoopBlocks.Modes {
  init(_ modes: [RunLoop.Mode]) {
    self = modes.count == 1 ? .one(CFRunLoopMode(modes[0])) : .several(modes.map { .init($0) })
  }
}
