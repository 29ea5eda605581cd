// EventCounter — counts events from any thread and waits for the n-th.

import Synchronization

package final class EventCounter: Sendable {
  private let name: String
  private let count = Guarded(0)

  package init(_ name: String = "events") { self.name = name }

  /// Counts one event and returns the new total.
  @discardableResult
  package func increment() -> Int {
    count.withValue {
      $0 += 1
      return $0
    }
  }

  /// Subtracts one event, for counting how many activities are in progress.
  @discardableResult
  package func decrement() -> Int {
    count.withValue {
      $0 -= 1
      return $0
    }
  }

  package var value: Int { count.current }

  /// Waits until at least `expected` events were counted.
  package func wait(
    for expected: Int, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    guard count.wait(limit: RealTime.wedge, until: { $0 >= expected }) else {
      throw Wedge.found(
        "\(name): \(count.current) counted, waiting for \(expected)", file: file, line: line)
    }
  }

  /// Does the same as `wait(for:)` for threads other than the test's: a timeout ends the
  /// process.
  package func pass(
    _ expected: Int, file: StaticString = #fileID, line: UInt = #line
  ) {
    guard count.wait(limit: RealTime.wedge * 3, until: { $0 >= expected }) else {
      Wedge.fatal(
        "an item, \(name): \(count.current) counted, waiting for \(expected)",
        file: file, line: line)
    }
  }
}

/// Counts how many callers are inside at once, and the highest number so far.
///
/// This type uses no lock. The pool does not know about a wait for such a lock: if the lock's
/// holder is preempted, the pool replaces the waiting item after a moment, and one more item
/// would be inside than the pool admits. ThreadSanitizer takes such a lock of its own for every
/// atomic operation that is not relaxed.
///
/// The counts order no other memory. A test may compare them after it has waited for the callers
/// by other means.
package final class Occupancy: Sendable {
  // order: relaxed, all of them: each count is one word. If the code under test keeps two callers
  // apart, it also orders the first one's `leave` before the second one's `enter`.
  private let now = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)
  private let all = Atomic<Int>(0)

  package init() {}

  @discardableResult
  package func enter() -> Int {
    // order: relaxed; as said above.
    let inside = now.add(1, ordering: .relaxed).newValue
    highest.max(inside, ordering: .relaxed)  // order: relaxed; as above.
    all.add(1, ordering: .relaxed)  // order: relaxed; as above.
    return inside
  }

  package func leave() {
    now.subtract(1, ordering: .relaxed)  // order: relaxed; as above.
  }

  package var inside: Int { now.load(ordering: .relaxed) }  // order: relaxed; as above.
  package var most: Int { highest.load(ordering: .relaxed) }  // order: relaxed; as above.
  package var entered: Int { all.load(ordering: .relaxed) }  // order: relaxed; as above.

  /// Waits until at least `expected` callers have entered.
  package func wait(
    forEntered expected: Int, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let end = Uptime.now() + RealTime.wedge
    while entered < expected {
      guard Uptime.now() < end else {
        throw Wedge.found("\(entered) entered, waiting for \(expected)", file: file, line: line)
      }
      letRealTimePass(.microseconds(200))
    }
  }
}
