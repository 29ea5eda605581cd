// RunLoopHost+Foundation — what Foundation's main run loop needs from its guest. Unlike other
// hosts, it does not ask for a timeout; the guest announces its work.
//
// Touching    everything: the main thread.

import SignalboxRuntime

extension RunLoopHost {
  /// Makes the main loop a guest of Foundation's main loop, in the mode in which that loop runs.
  /// Foundation's loop drains the toolchain's main queue.
  ///
  /// - Parameter mode: a common mode of Foundation's loop. It becomes a common mode here too.
  package static func ofFoundation(_ mode: RunLoop.Mode) -> RunLoopHost {
    if mode != .default { CFRunLoop.main.addCommonMode(CFRunLoopMode(mode)) }
    return RunLoopHost(mode: mode, leavesToolchain: true)
  }

  /// The epoll descriptor of the main loop's set.
  package static var mainDescriptor: Int32 { CFRunLoop.main.sleeper.sleeper.set }

  /// Call before the host waits or polls. Makes the descriptor readable if a drain would find
  /// anything to do. Costs one or two system calls.
  package func announce() {
    guard isParked else { return }
    // This also takes events from the set that an earlier drain has already handled.
    let isReady = loop.isReady(mode)
    settle()
    if isReady || loop.hookState.isRenewed || !loop.state.sleepsOn() {
      loop.sleeper.sleeper.wake()
    }
  }

  /// The time on the uptime clock at which the host must drain even if nothing is readable. The
  /// largest number means never.
  package var deadline: UInt64 { loop.nextDeadline(mode) }

  /// Makes one pass.
  ///
  /// - Returns: whether the loop was stopped; the host must then stop too.
  package func drainForFoundation() -> Bool {
    drain()
    return takeStop()
  }
}
