// PortHook — tells a module above when a port becomes invalid: `SignalboxFoundation` posts
// `Port.didBecomeInvalidNotification`.

import SignalboxRuntime

package enum PortHook {
  package typealias Hook = @Sendable (Port) -> Void

  /// Called once for each port, after it was invalidated, on the thread that did so.
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
