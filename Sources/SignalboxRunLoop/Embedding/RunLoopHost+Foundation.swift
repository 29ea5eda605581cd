// RunLoopHost+Foundation — what Foundation's main run loop needs of its guest beyond what other
// hosts do, since it does not ask for a time-out: it is told.
//
// Touching    everything: the main thread.

import SignalboxRuntime

extension RunLoopHost {
  /// The main loop as the guest of Foundation's, in the mode in which that runs. Foundation's
  /// own serves the toolchain's main queue.
  ///
  /// - Parameter mode: a common one there, and so here.
  package static func ofFoundation(_ mode: RunLoop.Mode) -> RunLoopHost {
    if mode != .default { CFRunLoop.main.addCommonMode(CFRunLoopMode(mode)) }
    return RunLoopHost(mode: mode, leavesToolchain: true)
  }

  /// The descriptor of the main loop's set.
  package static var mainDescriptor: Int32 { CFRunLoop.main.sleeper.sleeper.set }

  /// The host is about to wait, or to look what is ready: the descriptor is readable
  /// afterwards if a drain would find anything to do. One system call, or two.
  package func announce() {
    guard isParked else { return }
    // Tells of edges that a drain has answered already, too: they are taken from the set.
    let isReady = loop.isReady(mode)
    settle()
    if isReady || !loop.state.sleepsOn() { loop.sleeper.sleeper.wake() }
  }

  /// When the loop must be drained though nothing is readable, on the uptime clock; the largest
  /// number for never.
  package var deadline: UInt64 { loop.nextDeadline(mode) }

  /// Drains.
  ///
  /// - Returns: whether the loop was to stop: the host is then.
  package func drainForFoundation() -> Bool {
    drain()
    return takeStop()
  }
}
