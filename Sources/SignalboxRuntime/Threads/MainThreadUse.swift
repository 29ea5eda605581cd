// MainThreadUse — the first use of the main queue or of the main run loop: from then on
// Foundation's main run loop, where the program has one, serves both.
//
// The engine does not know Foundation: a module far above says what is to be done, by a name
// that is looked for when the program is linked (see `csb_foundation_loop_begin`).
//
// Touching    `isNoted`: any thread, atomically.

import CSignalbox
import Synchronization

package enum MainThreadUse {
  static let isNoted = Atomic<Bool>(false)

  /// Something waits for the main thread, or may. Any thread, with no lock held; after the
  /// first time it costs a load.
  @inline(__always)
  package static func note() {
    // order: relaxed; the exchange decides.
    if !isNoted.load(ordering: .relaxed) { noteFirst() }
  }

  @inline(never)
  private static func noteFirst() {
    // order: relaxed; only that it is done once matters.
    if isNoted.exchange(true, ordering: .relaxed) { return }
    // Foundation's loop does not outlive a fork.
    if !Fork.hasHappened { csb_foundation_loop_begin() }
  }
}
