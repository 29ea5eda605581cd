// ModePorts — the sources of one mode that wake the loop by themselves: those with a
// descriptor or a port; and what a pass does with them.
//
// Touching    the lists: under the loop's lock. The rest: the loop's own thread.

import SignalboxRuntime

struct ModePorts {
  /// All of them, in their order.
  private(set) var sources: [PortSource] = []
  /// Those that may have something of which no descriptor tells.
  private(set) var boxes: [PortSource] = []
  /// How many have a descriptor.
  private var descriptors = 0

  var items: [RunLoopItem] { sources }

  var isEmpty: Bool { sources.isEmpty }

  var haveDescriptors: Bool { descriptors > 0 }

  mutating func add(_ source: PortSource) {
    sources.insertInOrder(source)
    if source.descriptor != nil { descriptors += 1 }
    if source is PortMail { boxes.insertInOrder(source) }
  }

  /// - Returns: whether it was there. The caller has a reference besides.
  mutating func remove(_ source: PortSource) -> Bool {
    guard sources.removeItem(source) else { return false }
    if source.descriptor != nil { descriptors -= 1 }
    if source is PortMail { _ = boxes.removeItem(source) }
    return true
  }
}

extension CFRunLoop {
  /// Step 5: whether something is ready that wakes the loop by itself. One system call where
  /// there can be a descriptor, else none.
  ///
  /// - Parameter sleepsElse: whether the loop will sleep if there is nothing.
  func inputIsReady(_ mode: LoopMode, sleepsElse: Bool) -> Bool {
    lock.lock()
    let (boxes, haveDescriptors) = (mode.ports.boxes, mode.ports.haveDescriptors)
    lock.unlock()
    let isReady = boxes.contains { $0.isReady } || mainQueueHasWork(mode)
    guard haveDescriptors || mainQueueNeedsLook(mode, sleepsElse: sleepsElse, isReady) else {
      return isReady
    }
    return note(preparedSleeper(mode).look().events, mode) || isReady
  }

  /// Whether inputs have something left of which no descriptor tells: a message behind the one
  /// that was handled, a file that is always ready.
  func hasMoreInputs(_ mode: LoopMode) -> Bool {
    lock.lock()
    let boxes = mode.ports.boxes
    let isAlwaysReady = watched.mode === mode && watched.hasAlwaysReady
    lock.unlock()
    return isAlwaysReady || boxes.contains { $0.isReady }
  }

  /// The loop's sleeper, with the descriptors of this mode and no other in it.
  func preparedSleeper(_ mode: LoopMode) -> LoopSleeper {
    let sleeper = self.sleeper
    lock.lock()
    var isNew = sleeper.renewIfForked()
    if !isNew && watched.mustRenew {
      sleeper.renew()
      isNew = true
    }
    let forgotten = isNew ? watched.forgetAll() : [:]
    watch(mode, with: sleeper)
    let complaints = watched.takeComplaints()
    lock.unlock()
    withExtendedLifetime(forgotten) {}
    fitMainQueue(into: sleeper, mode, isNew: isNew)
    for one in complaints { complain("\(one), in \(words).") }
    return sleeper
  }

  /// Notes what is ready, for step 9, before anything of the program's is called.
  ///
  /// - Returns: whether anything of this mode is.
  func note(
    _ events: UnsafeMutableBufferPointer<LoopSleeper.Event>.SubSequence, _ mode: LoopMode
  ) -> Bool {
    // Freed without the lock.
    let old = watched.noted
    let isReady = lock.withLock { watched.note(events, sleeper) }
    withExtendedLifetime(old) {}
    for event in events { noteMainQueue(event, mode) }
    return mainQueueIsNoted(mode) || isReady
  }

  /// Step 9: performs the sources that were noted, and those whose ports have something.
  ///
  /// What is left for later need not be remembered: it is still ready in the next pass.
  ///
  /// - Parameter onlyOne: whether to leave all but the first for later.
  /// - Returns: whether there was one.
  func performPorts(_ mode: LoopMode, onlyOne: Bool) -> Bool {
    lock.lock()
    let ready = watched.takeReady(mode)
    lock.unlock()
    let round = watched.beginRound()
    var hasHandled = false
    for one in ready {
      if perform(one, mode) { hasHandled = true }
      // A run within it has performed what it found ready: what is left is told again.
      if watched.round != round || (hasHandled && onlyOne) { break }
    }
    return hasHandled
  }

  private func perform(_ ready: WatchedDescriptors.Ready, _ mode: LoopMode) -> Bool {
    guard let descriptor = ready.descriptor, !ready.source.takesWhatIsThere else {
      return ready.source.perform(in: mode)
    }
    watched.busy.append(descriptor)
    let hasHandled = ready.source.perform(in: mode)
    watched.busy.removeLast()
    if watched.hasAside { lock.withLock { bringBack(descriptor) } }
    return hasHandled
  }
}
