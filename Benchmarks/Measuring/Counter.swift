import Synchronization

/// A number that many threads count down, on a cache line that no other counter shares.
final class Counter: Sendable {
  private let left = Atomic<Int>(0)
  private let apart: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
    (0, 0, 0, 0, 0, 0, 0, 0)

  func expect(_ items: Int) {
    // order: relaxed; submitting an item publishes it.
    left.store(items, ordering: .relaxed)
  }

  /// Returns whether it was the last of the expected items.
  func arrive() -> Bool {
    // order: both; the last to arrive has everyone's work behind it.
    left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}
