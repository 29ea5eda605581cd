// WeakWatch — detects when objects that others hold are freed.
//
// It is for objects of the library itself, in which a test cannot put a tracked object. It
// holds them weakly and polls the references.

package final class WeakWatch: Sendable {
  private struct Held: @unchecked Sendable {
    // SAFETY: the runtime synchronizes loads of a weak reference with the object's
    // deallocation; `init` writes the reference once.
    weak var object: AnyObject?
  }
  private let held = Guarded<[Held]>([])

  package init() {}

  /// Watches the object from now on and returns it.
  @discardableResult
  package func watch<Object: AnyObject>(_ object: Object) -> Object {
    let entry = Held(object: object)
    held.withValue { $0.append(entry) }
    return object
  }

  package var watched: Int { held.current.count }

  package var alive: Int { held.current.count { $0.object != nil } }

  /// Waits until every object watched so far is freed.
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
