// WaitLength — how long a wait has lasted, for reports.

import SignalboxRuntime

/// A length of time as text.
package struct WaitLength: Sendable {
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// The time from a moment on the uptime clock until now.
  init(since moment: UInt64) {
    let now = Clock.uptime.now
    self.init(nanoseconds: now > moment ? now - moment : 0)
  }

  /// In the largest unit that fits at least once: "21 ms", "4 min".
  package var words: String {
    var amount = nanoseconds
    for (unit, size) in WaitLength.units {
      if amount < size { return "\(amount) \(unit)" }
      amount /= size
    }
    return "\(amount) d"
  }

  /// Each unit, with the number of them that make up the next larger unit.
  private static var units: [(String, UInt64)] {
    [("ns", 1000), ("µs", 1000), ("ms", 1000), ("s", 60), ("min", 60), ("h", 24)]
  }
}
