// ThreadHook — events of threads for a higher module: `SignalboxFoundation` sets handlers that
// post notifications.

import SignalboxRuntime

/// An event in a thread's life that another module can handle.
package enum ThreadHook {
  /// On the thread that is about to start the program's first additional thread.
  case becomingMultiThreaded
  /// On a thread whose body has ended, before anything is released.
  case exiting

  /// Sets the handler of the event, in place of the previous one.
  package func set(_ handler: (@Sendable (Thread) -> Void)?) {
    ThreadEvents.shared.set(event, handler.map { Handler($0) })
  }

  func call(_ thread: Thread) {
    (ThreadEvents.shared[event] as? Handler<Thread>)?.function(thread)
  }

  private var event: ThreadEvents.Event {
    switch self {
    case .becomingMultiThreaded: .becomingMultiThreaded
    case .exiting: .exiting
    }
  }
}
