// LeakTracker — counts the objects it made and those that are gone.
//
// A test puts a tracked object into a closure or a result; it must be freed
// once the work is done, at a moment that another thread decides.

package final class LeakTracker: Sendable {
  private struct Counts {
    var made = 0
    var freed = 0
  }
  private let counts = Guarded(Counts())

  package init() {}

  /// A new object whose end is counted.
  package func makeObject() -> TrackedObject {
    counts.withValue { $0.made += 1 }
    return TrackedObject(self)
  }

  package var made: Int { counts.current.made }
  package var freed: Int { counts.current.freed }
  package var alive: Int {
    let now = counts.current
    return now.made - now.freed
  }

  /// Waits until every object made so far is gone.
  package func waitUntilAllAreFreed(
    file: StaticString = #fileID, line: UInt = #line
  ) throws {
    guard counts.wait(limit: RealTime.wedge, until: { $0.made == $0.freed }) else {
      let now = counts.current
      throw Wedge.found(
        "\(now.made - now.freed) of \(now.made) objects are not freed", file: file, line: line)
    }
  }

  fileprivate func objectIsGone() { counts.withValue { $0.freed += 1 } }
}

package final class TrackedObject: Sendable {
  private let tracker: LeakTracker

  fileprivate init(_ tracker: LeakTracker) { self.tracker = tracker }

  deinit { tracker.objectIsGone() }

  /// Mentions the object in a closure, so that it is captured.
  @inline(never)
  package func touch() {}
}
