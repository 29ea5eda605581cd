// PortHook — what a module above wants to be told of ports: `SignalboxFoundation` posts
// `Port.didBecomeInvalidNotification`.
//
// Touching    `hook`: under `lock`, with which nothing is called or freed.

import SignalboxRuntime

package enum PortHook {
  package typealias Hook = @Sendable (Port) -> Void

  private static let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) static var hook: Hook?

  /// Who is told, on the thread that invalidates a port, when that is done.
  package static var whenInvalidated: Hook? {
    get { lock.withLock { hook } }
    set {
      let old = lock.withLock {
        let old = hook
        hook = newValue
        return old
      }
      withExtendedLifetime(old) {}
    }
  }

  static func invalidated(_ port: Port) { whenInvalidated?(port) }
}
