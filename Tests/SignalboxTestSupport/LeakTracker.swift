// LeakTracker — counts the objects it made and the ones that were freed.
//
// A test captures a tracked object in a closure or a result. The object must be freed once the
// work is done, but another thread decides when.

package final class LeakTracker: Sendable {
  private struct Counts {
    var made = 0
    var freed = 0
  }
  private let counts = Guarded(Counts())

  package init() {}

  /// Returns a new object whose deallocation is counted.
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

  /// Waits until every object made so far is freed.
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

  /// Does nothing. Call it in a closure to capture the object.
  @inline(never)
  package func touch() {}
}
