// WaitLength — how long a wait has lasted, as reports say it.

/// A length of time, for people.
package struct WaitLength: Sendable {
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// From a moment of the uptime clock until now.
  init(since moment: UInt64) {
    let now = Clock.uptime.now
    self.init(nanoseconds: now > moment ? now - moment : 0)
  }

  /// In the largest unit of which there is one at least: "21 ms", "4 min".
  package var words: String {
    var amount = nanoseconds
    for (unit, size) in WaitLength.units {
      if amount < size { return "\(amount) \(unit)" }
      amount /= size
    }
    return "\(amount) d"
  }

  /// Each with how many of it make one of the next.
  static let units: [(String, UInt64)] = [
    ("ns", 1000), ("µs", 1000), ("ms", 1000), ("s", 60), ("min", 60), ("h", 24),
  ]
}
