// CFRunLoop+Calls — what other threads have a loop perform: an input source of the loop's
// own, which is there while something waits for it.
//
// It differs from the loop's blocks in that it counts as a source that was handled: a run
// which is to end then does.

import SignalboxRuntime
import SignalboxThreads

extension CFRunLoop {
  /// Any thread: wakes the loop.
  ///
  /// - Returns: whether it may come to it; if not, the loop's thread has ended.
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

  /// The wait is over.
  func forget(_ waiter: PerformCall) {
    lock.withLock { waiters.removeAll { $0 === waiter } }
  }

  /// Step 4: performs what was there when the pass came here.
  ///
  /// - Parameter taken: what has come since the last one.
  /// - Returns: whether there was anything.
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

  /// With the lock, on the loop's thread: whether a call waits for the mode.
  func hasCalls(for mode: LoopMode) -> Bool {
    calls.hasAny(for: mode.name, isCommon: mode.isCommon)
      || comingCalls.contains { $0.modes.contains(mode.name, isCommon: mode.isCommon) }
  }

  // MARK: Whose loop

  /// The loop of a thread, made for it if it has none yet. Any thread.
  ///
  /// - Returns: nil if the thread has ended.
  static func of(_ thread: Thread) -> CFRunLoop? {
    let record = thread.record
    if let loop = kept(by: record) { return record.isLost ? nil : loop }
    if record.life.phase == .finished || record.isLost { return nil }
    let new = thread.isMainThread ? main : CFRunLoop()
    return record.keepLoop(new).map { unsafeDowncast($0, to: CFRunLoop.self) }
  }

  static func kept(by record: ThreadRecord) -> CFRunLoop? {
    // SAFETY: nothing but a loop is ever kept there.
    record.loop.map { unsafeDowncast($0, to: CFRunLoop.self) }
  }
}

extension LoopBlocks.Modes {
  init(_ modes: [RunLoop.Mode]) {
    self = modes.count == 1 ? .one(CFRunLoopMode(modes[0])) : .several(modes.map { .init($0) })
  }
}
