// EventCounter — counts events of any thread and waits for the n-th.

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
package final class Occupancy: Sendable {
  private struct Counts {
    var inside = 0
    var most = 0
    var entered = 0
  }
  private let counts = Guarded(Counts())

  package init() {}

  @discardableResult
  package func enter() -> Int {
    counts.withValue {
      $0.inside += 1
      $0.entered += 1
      $0.most = max($0.most, $0.inside)
      return $0.inside
    }
  }

  package func leave() { counts.withValue { $0.inside -= 1 } }

  package var inside: Int { counts.current.inside }
  package var most: Int { counts.current.most }
  package var entered: Int { counts.current.entered }
}
