// PortSource — an input source that wakes its loop by itself: one with a descriptor, or a
// port.
//
// Touching    `descriptor`: under the item's lock, and only while it has no places; so who
//             finds it in a mode's list may read it under the loop's lock. `loopsToWake`:
//             under the item's lock.

class PortSource: CFRunLoopSource, @unchecked Sendable {  // SAFETY: see Touching.
  /// What makes it ready when it can be read; nil if the source says itself when it is.
  private(set) final var descriptor: Int32?
  private var loopsToWake: [CFRunLoop] = []

  /// Whether it has something for its loop that no descriptor tells of. A hint.
  var isReady: Bool { false }

  /// Whether what made the descriptor ready is taken from it whenever the source is performed.
  var takesWhatIsThere: Bool { false }

  /// On a loop's thread: performs it, if it is still there and valid, and has something.
  ///
  /// - Returns: whether it did.
  func perform(in mode: LoopMode) -> Bool { false }

  /// Under the item's lock: whether it may be performed in the mode.
  final func isMeant(in mode: LoopMode) -> Bool {
    isValid && places.contains { $0.mode === mode }
  }

  // MARK: Coming and going

  final override func enter(_ mode: LoopMode) {
    mode.ports.add(self)
    let isReadyNow = mode.loop.watch(self, in: mode)
    // A loop that sleeps does not see it else: nothing wakes the loop again.
    if isReadyNow || isReady { loopsToWake.append(mode.loop) }
  }

  final override func leave(_ mode: LoopMode) -> Bool {
    guard mode.ports.remove(self) else { return false }
    if mode.loop.unwatch(self, in: mode) { loopsToWake.append(mode.loop) }
    return true
  }

  /// A kind that overrides it calls this one.
  override func tell() {
    lock.lock()
    let loops = loopsToWake
    loopsToWake = []
    lock.unlock()
    for loop in loops { loop.wakeUp() }
  }

  /// With the lock: what it is to watch from its next place on. It keeps what it has while it
  /// has places.
  final func useDescriptor(_ new: Int32?) {
    if places.isEmpty { descriptor = new }
  }

  final override var version: CFIndex { 1 }
}
