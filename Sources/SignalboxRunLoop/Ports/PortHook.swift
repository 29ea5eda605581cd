// PortHook — what a module above wants to be told of ports: `SignalboxFoundation` posts
// `Port.didBecomeInvalidNotification`.

import SignalboxRuntime

package enum PortHook {
  package typealias Hook = @Sendable (Port) -> Void

  /// Who is told, on the thread that invalidates a port, once that is done: once for each.
  package static var whenInvalidated: Hook? {
    get { (ThreadEvents.shared[.portInvalidated] as? Handler)?.hook }
    set { ThreadEvents.shared.set(.portInvalidated, newValue.map { Handler($0) }) }
  }

  static func invalidated(_ port: Port) { whenInvalidated?(port) }

  private final class Handler: Sendable {
    let hook: Hook
    init(_ hook: @escaping Hook) { self.hook = hook }
  }
}
