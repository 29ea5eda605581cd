// Meeting — where two threads meet before every round, so that their steps come at the
// same time.
//
// One of them sees later than the other that both have come, by a time that is the
// machine's. So each then lets a few more nanoseconds pass, and every pair of such delays
// is tried in turn.
//
// Touching    the count: both threads, atomically.

import Glibc
import Synchronization

final class Meeting: Sendable {
  private static let delays = 100

  private let arrivals = Atomic(0)

  /// Waits until both threads have come to this round, the first of which is 1.
  func meet(_ round: Int, _ thread: Int) {
    // order: acquiring and releasing; the rounds before are over for both.
    arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing)
    var looks = 0
    // order: acquiring; as above.
    while arrivals.load(ordering: .acquiring) < 2 * round {
      looks += 1
      // The other one may be waiting for this one's processor.
      if looks % 100 == 0 { sched_yield() }
    }
    let delay = thread == 0 ? round % Self.delays : round / Self.delays % Self.delays
    // order: relaxed; only the time that it takes is wanted.
    for _ in 0..<delay { _ = arrivals.load(ordering: .relaxed) }
  }
}
