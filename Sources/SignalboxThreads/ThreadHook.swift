// ThreadHook — what a module above wants to be told of threads: `SignalboxFoundation`
// posts its notifications here.

import SignalboxRuntime

/// A turn in a thread's life at which another module has a say.
package enum ThreadHook {
  /// On the thread that is about to start the program's first other one.
  case becomingMultiThreaded
  /// On a thread whose body is over, before anything of it is released.
  case exiting

  /// Has `handler` called from now on, in place of what was there.
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
