// ThreadEvents — who is to be called at turns in the life of threads, of what they send
// through, and of the process.
//
// One handler an event. The modules above say what a handler takes.
//
// Touching    `handlers`: under `lock`, with which nothing is called or freed.

package final class ThreadEvents: Sendable {
  package static let shared = ThreadEvents()

  package enum Event: Int, Sendable, CaseIterable {
    /// An error left the body of a thread that nobody joins.
    case uncaughtError
    /// The system refused a thread.
    case creationFailure
    /// Someone asked for the process's end.
    case terminationRequested
    /// The program is about to start its first thread.
    case becomingMultiThreaded
    /// A thread's body is over.
    case exiting
    /// A port was invalidated.
    case portInvalidated
  }

  private let lock = EngineLock()
  // SAFETY: read and written under `lock`.
  private nonisolated(unsafe) var handlers = [AnyObject?](
    repeating: nil, count: Event.allCases.count)

  /// The handler of an event, in the form that its user gave it; or nil.
  package subscript(event: Event) -> AnyObject? {
    lock.withLock { handlers[event.rawValue] }
  }

  package func set(_ event: Event, _ handler: AnyObject?) {
    let old = lock.withLock {
      let old = handlers[event.rawValue]
      handlers[event.rawValue] = handler
      return old
    }
    // Freed here, after the lock is left.
    _ = old
  }

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }
}
