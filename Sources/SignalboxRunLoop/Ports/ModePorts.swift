// ModePorts — the sources of a mode that wake the loop by themselves, with a descriptor or as a
// port, and the steps of a pass that handle them.
//
// Touching    the lists: under the loop's lock. The rest: the loop's own thread.

import SignalboxRuntime

struct ModePorts {
  /// All sources, sorted by order.
  private(set) var sources: [PortSource] = []
  /// The ports, which may have messages that no descriptor reports.
  private(set) var boxes: [PortSource] = []
  /// The number of sources with a descriptor.
  private var descriptors = 0

  var items: [RunLoopItem] { sources }

  var isEmpty: Bool { sources.isEmpty }

  var haveDescriptors: Bool { descriptors > 0 }

  mutating func add(_ source: PortSource) {
    sources.insertInOrder(source)
    if source.descriptor != nil { descriptors += 1 }
    if source is PortMail { boxes.insertInOrder(source) }
  }

  /// - Returns: whether the source was there. The caller must hold another reference to it.
  mutating func remove(_ source: PortSource) -> Bool {
    guard sources.removeItem(source) else { return false }
    if source.descriptor != nil { descriptors -= 1 }
    if source is PortMail { _ = boxes.removeItem(source) }
    return true
  }
}

extension CFRunLoop {
  /// Step 5: whether an input that wakes the loop by itself is ready. Costs one system call if
  /// the mode has a descriptor, otherwise none.
  ///
  /// - Parameter sleepsElse: whether the loop will sleep if nothing is ready.
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

  /// Whether inputs have work left that no descriptor reports: a message after the one just
  /// handled, or a file that is always ready.
  func hasMoreInputs(_ mode: LoopMode) -> Bool {
    lock.lock()
    let boxes = mode.ports.boxes
    let isAlwaysReady = watched.mode === mode && watched.hasAlwaysReady
    lock.unlock()
    return isAlwaysReady || boxes.contains { $0.isReady }
  }

  /// Returns the loop's sleeper, with exactly this mode's descriptors in its set.
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
    let warnings = watched.takeWarnings()
    lock.unlock()
    withExtendedLifetime(forgotten) {}
    fitMainQueue(into: sleeper, mode, isNew: isNew)
    for one in warnings { warn("\(one), in \(words).") }
    return sleeper
  }

  /// Records what is ready, for step 9, before any code of the program runs.
  ///
  /// - Returns: whether anything in this mode is ready.
  func note(
    _ events: UnsafeMutableBufferPointer<LoopSleeper.Event>.SubSequence, _ mode: LoopMode
  ) -> Bool {
    // Keep the old list alive, so that it is freed without the lock.
    let old = watched.noted
    let isReady = lock.withLock { watched.note(events, sleeper) }
    withExtendedLifetime(old) {}
    for event in events { noteMainQueue(event, mode) }
    return mainQueueIsNoted(mode) || isReady
  }

  /// Step 9: performs the sources that `note` recorded and the ports that have messages.
  ///
  /// Sources that are left out need no record: they are still ready in the next pass.
  ///
  /// - Parameter onlyOne: whether to stop after the first source.
  /// - Returns: whether a source was performed.
  func performPorts(_ mode: LoopMode, onlyOne: Bool) -> Bool {
    lock.lock()
    let ready = watched.takeReady(mode)
    lock.unlock()
    let round = watched.beginRound()
    var hasHandled = false
    for one in ready {
      if perform(one, mode) { hasHandled = true }
      // A nested run has performed the sources that it found ready; the set reports the rest again.
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
