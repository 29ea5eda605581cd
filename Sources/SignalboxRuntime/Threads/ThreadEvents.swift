// ThreadEvents — handlers of events in the life of threads, of ports, and of the process.
//
// One handler for each event. The modules above define what a handler takes.
//
// Touching    `handlers`: under `lock`. While it is held, nothing is called or freed.

package final class ThreadEvents: Sendable {
  package static let shared = ThreadEvents()

  package enum Event: Int, Sendable, CaseIterable {
    /// An error left the body of a thread that no thread joins.
    case uncaughtError
    /// The system refused to start a thread.
    case creationFailure
    /// The program asked the process to end.
    case terminationRequested
    /// The program is about to start its first thread.
    case becomingMultiThreaded
    /// The body of a thread has ended.
    case exiting
    /// A port was invalidated.
    case portInvalidated
  }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var handlers = [AnyObject?](
    repeating: nil, count: Event.allCases.count)

  /// The handler of an event, in the form in which its user set it; or nil.
  package subscript(event: Event) -> AnyObject? {
    lock.withLock { handlers[event.rawValue] }
  }

  package func set(_ event: Event, _ handler: AnyObject?) {
    let old = lock.withLock {
      let old = handlers[event.rawValue]
      handlers[event.rawValue] = handler
      return old
    }
    // Free the old handler here, after the lock is released.
    _ = old
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }
}
