// Meeting — where threads wait for each other before and after what is counted.

import Glibc
import Synchronization

final class Meeting: Sendable {
  private let missing: Atomic<Int>
  private let isOver = Atomic(false)
  private let idle: @Sendable () -> Void

  /// A thread that waits for the others calls `idle` again and again.
  init(_ threads: Int, idle: @escaping @Sendable () -> Void) {
    missing = Atomic(threads)
    self.idle = idle
  }

  /// Returns when all threads have called it and the last of them has done `work`.
  func meet(last work: () -> Void) {
    // order: acquiring and releasing; the last one sees the work of all.
    if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      work()
      isOver.store(true, ordering: .releasing)  // order: releasing; the others see `work` done.
    } else {
      // order: acquiring, see above
      while !isOver.load(ordering: .acquiring) { idle() }
    }
  }
}
