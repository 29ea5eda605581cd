import Glibc
import Synchronization

/// Where threads wait until all of them are there.
final class Meeting: Sendable {
  private let missing: Atomic<Int>
  private let isOver = Atomic(false)

  init(_ threads: Int) { missing = Atomic(threads) }

  /// Returns when all threads have called it and the last of them has done `work`.
  func meet(last work: () -> Void) {
    // order: both; the last one has everyone's work behind it.
    if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      work()
      isOver.store(true, ordering: .releasing)  // order: releasing; the others see `work` done.
    } else {
      // order: acquiring, see above
      while !isOver.load(ordering: .acquiring) { usleep(100) }
    }
  }
}
