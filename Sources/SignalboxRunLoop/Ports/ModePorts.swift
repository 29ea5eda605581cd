// ModePorts — the sources of one mode that wake the loop by themselves: those with a
// descriptor or a port.
//
// Touching    everything: under the loop's lock.

struct ModePorts {
  /// All of them.
  var items: [RunLoopItem] { [] }

  var isEmpty: Bool { true }
}

extension CFRunLoop {
  /// Step 5: whether something is ready that wakes the loop by itself. One system call where
  /// there can be any, else none.
  func inputIsReady(_ mode: LoopMode) -> Bool {
    guard !lock.withLock({ mode.ports.isEmpty }) || servesMainQueue(mode) else { return false }
    return note(preparedSleeper(mode).look().events, mode)
  }

  /// The loop's sleeper, with the descriptors of this mode and no other in it.
  func preparedSleeper(_ mode: LoopMode) -> LoopSleeper {
    let sleeper = self.sleeper
    _ = sleeper.renewIfForked()
    return sleeper
  }

  /// Notes what is ready, for step 9, before anything of the program's is called.
  ///
  /// - Returns: whether anything of this mode is.
  func note(
    _ events: UnsafeMutableBufferPointer<LoopSleeper.Event>.SubSequence, _ mode: LoopMode
  ) -> Bool {
    !events.isEmpty
  }

  /// Step 9: performs the sources that were noted.
  ///
  /// - Parameter onlyOne: whether to leave all but the first for later.
  /// - Returns: whether there was one.
  func performPorts(_ mode: LoopMode, onlyOne: Bool) -> Bool { false }
}
