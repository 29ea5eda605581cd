// ThreadingFunctions — functions with which a program asks whether Dispatch has begun to use
// threads, or forbids Dispatch to use them. The toolchain's library exports these functions, but
// its headers do not declare them.

import CSignalbox
import CSignalboxDropIn
import SignalboxRuntime

/// Whether work has been submitted to the pool.
@_cdecl("_dispatch_is_multithreaded")
package func dispatchIsMultithreaded() -> Bool { csb_engine_load() != nil }

/// Whether this process is a forked child of one that had submitted work.
///
/// *Differences*: such a child may use Dispatch. The toolchain returns false even in a child that
/// may not use it.
@_cdecl("_dispatch_is_fork_of_multithreaded_parent")
package func dispatchIsForkOfMultithreadedParent() -> Bool { Fork.hasHappened }

/// Traps at the first submission of work from now on, or allows it again.
@_cdecl("_dispatch_prohibit_transition_to_multithreaded")
package func dispatchProhibitTransition(_ prohibits: Bool) {
  if prohibits && csb_engine_load() != nil {
    clientBug(
      "_dispatch_prohibit_transition_to_multithreaded was called after work had been submitted.")
  }
  csb_engine_prohibit(prohibits ? 1 : 0)
}

/// Does nothing, as in the toolchain: it is for launchd, the first process on Apple's systems.
@_cdecl("_dispatch_poll_for_events_4launchd")
package func dispatchPollForEvents() {}

/// Sets a limit of I/O channels.
///
/// *Differences*: it has no effect. Channels choose their sizes themselves.
@_cdecl("_dispatch_iocntl")
package func dispatchIOControl(_ parameter: UInt32, _ value: UInt64) {}
