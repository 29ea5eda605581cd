// EventCounter — counts events of any thread and waits for the n-th.

import Synchronization

package final class EventCounter: Sendable {
  private let name: String
  private let count = Guarded(0)

  package init(_ name: String = "events") { self.name = name }

  /// Counts one event and returns how many there are now.
  @discardableResult
  package func increment() -> Int {
    count.withValue {
      $0 += 1
      return $0
    }
  }

  /// Counts one event less, for what is at work at the same time.
  @discardableResult
  package func decrement() -> Int {
    count.withValue {
      $0 -= 1
      return $0
    }
  }

  package var value: Int { count.current }

  /// Waits until at least so many events were counted.
  package func wait(
    for expected: Int, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    guard count.wait(limit: RealTime.wedge, until: { $0 >= expected }) else {
      throw Wedge.found(
        "\(name): \(count.current) counted, waiting for \(expected)", file: file, line: line)
    }
  }

  /// As `wait(for:)`, off the test's thread: the wedge ends the process.
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

/// How many are inside at once, and how many there were at most.
///
/// Nobody waits for a lock here: an item that waits unknown to the pool for longer than a
/// moment, because the processor was taken from the lock's holder, is replaced by another, and
/// one more would be inside than the pool lets in.
package final class Occupancy: Sendable {
  // order: sequentially consistent, all of them: tests compare the counts with each other.
  private let now = Atomic<Int>(0)
  private let highest = Atomic<Int>(0)
  private let all = Atomic<Int>(0)

  package init() {}

  @discardableResult
  package func enter() -> Int {
    // order: sequentially consistent; as said above.
    let inside = now.add(1, ordering: .sequentiallyConsistent).newValue
    highest.max(inside, ordering: .sequentiallyConsistent)  // order: as above.
    all.add(1, ordering: .sequentiallyConsistent)  // order: as above.
    return inside
  }

  package func leave() {
    now.subtract(1, ordering: .sequentiallyConsistent)  // order: as above.
  }

  package var inside: Int { now.load(ordering: .sequentiallyConsistent) }  // order: as above.
  package var most: Int { highest.load(ordering: .sequentiallyConsistent) }  // order: as above.
  package var entered: Int { all.load(ordering: .sequentiallyConsistent) }  // order: as above.

  /// Waits until at least so many have come in.
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
