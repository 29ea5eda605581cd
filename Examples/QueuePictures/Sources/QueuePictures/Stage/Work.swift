// Work — computing that takes a while: what items do in the pictures.

import Glibc

enum Work {
  /// Computes for so long at least. How much longer depends on who else wants the processor, and
  /// nothing that is asserted depends on that.
  static func compute(microseconds: Int) {
    let end = now() + microseconds
    while now() < end {}
  }

  /// Goes on computing, a slice at a time, until the condition holds.
  static func compute(until isOver: () -> Bool) {
    repeat { compute(microseconds: 200) } while !isOver()
  }

  private static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
  }
}
