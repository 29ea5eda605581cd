// WeakWatch — tells when objects that others hold are gone.
//
// For objects of the library itself, into which nothing can be put that would
// tell of their end: they are held weakly and looked at.

package final class WeakWatch: Sendable {
  private struct Held: @unchecked Sendable {
    // SAFETY: the runtime makes loads of a weak reference safe against the end
    // of its object; the reference is written once, by `init`.
    weak var object: AnyObject?
  }
  private let held = Guarded<[Held]>([])

  package init() {}

  /// Watches the object from now on and gives it back.
  @discardableResult
  package func watch<Object: AnyObject>(_ object: Object) -> Object {
    let entry = Held(object: object)
    held.withValue { $0.append(entry) }
    return object
  }

  package var watched: Int { held.current.count }

  package var alive: Int { held.current.count { $0.object != nil } }

  /// Waits until every object watched so far is gone.
  package func waitUntilAllAreFreed(
    file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let end = Uptime.now() + RealTime.wedge
    while alive > 0 {
      guard Uptime.now() < end else {
        throw Wedge.found("\(alive) of \(watched) objects are not freed", file: file, line: line)
      }
      letRealTimePass(.milliseconds(1))
    }
  }
}
