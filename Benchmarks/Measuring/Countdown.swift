import Synchronization

/// Lets one thread wait until items that end in any order have all ended.
final class Countdown: Sendable {
  private let left = Atomic<Int>(0)
  private let done = DispatchSemaphore(value: 0)

  func expect(_ items: Int) {
    // order: relaxed; submitting an item publishes it.
    left.store(items, ordering: .relaxed)
  }

  func arrive() {
    // order: both; the last to arrive has everyone's work behind it.
    if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
  }

  func wait() {
    done.wait()
  }
}
