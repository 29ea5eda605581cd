// PortSource — an input source that wakes its loop by itself: a descriptor source or a port.
//
// Touching    `descriptor`: under the item's lock, and it changes only while the source is in
//             no mode; so code that finds the source in a mode's list may read it under the
//             loop's lock.
//             `loopsToWake`: under the item's lock.

class PortSource: CFRunLoopSource, @unchecked Sendable {  // SAFETY: see Touching.
  /// The descriptor that makes the source ready when it is readable; nil if only `isReady` shows
  /// whether the source is ready.
  private(set) final var descriptor: Int32?
  private var loopsToWake: [CFRunLoop] = []

  /// Whether the source has work that no descriptor reports. A hint.
  var isReady: Bool { false }

  /// Whether performing the source always consumes the data that made the descriptor readable.
  var takesWhatIsThere: Bool { false }

  /// Performs the source if it is still in the mode, valid and ready. Call on the loop's thread.
  ///
  /// - Returns: whether it was performed.
  func perform(in mode: LoopMode) -> Bool { false }

  /// Whether the source may be performed in the mode. Requires the item's lock.
  final func isMeant(in mode: LoopMode) -> Bool {
    isValid && memberships.contains { $0.mode === mode }
  }

  // MARK: Entering and leaving modes

  final override func enter(_ mode: LoopMode) {
    mode.ports.add(self)
    let isReadyNow = mode.loop.watch(self, in: mode)
    // Wake a sleeping loop: no event will tell it that the source is ready.
    if isReadyNow || isReady { loopsToWake.append(mode.loop) }
  }

  final override func leave(_ mode: LoopMode) -> Bool {
    guard mode.ports.remove(self) else { return false }
    if mode.loop.unwatch(self, in: mode) { loopsToWake.append(mode.loop) }
    return true
  }

  /// Overrides must call this method.
  override func tell() {
    lock.lock()
    let loops = loopsToWake
    loopsToWake = []
    lock.unlock()
    for loop in loops { loop.wakeUp() }
  }

  /// Sets the descriptor to watch once the source enters a mode. Has no effect while the source is
  /// in a mode. Requires the lock.
  final func useDescriptor(_ new: Int32?) {
    if memberships.isEmpty { descriptor = new }
  }

  final override var version: CFIndex { 1 }
}
