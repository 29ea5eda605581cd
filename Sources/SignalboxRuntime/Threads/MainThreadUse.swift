// MainThreadUse — the first use of the main queue or of the main run loop. From then on
// Foundation's main run loop, if the program has one, serves both.
//
// The engine does not know Foundation. A module far above provides the function, under a
// name that the linker looks for (see `csb_foundation_loop_begin`).

import CSignalbox

package enum MainThreadUse {
  /// Any thread may set it; the thread that sets it first begins the loop.
  static let isNoted = Relaxed(false)

  /// Call this when something waits for the main thread, or may wait for it. Any thread,
  /// with no lock held. After the first time it costs a load.
  @inline(__always)
  package static func note() {
    if !isNoted.load() { noteFirst() }
  }

  @inline(never)
  private static func noteFirst() {
    guard isNoted.setFirst() else { return }
    // Foundation's loop does not survive a fork.
    if !Fork.hasHappened { csb_foundation_loop_begin() }
  }
}
