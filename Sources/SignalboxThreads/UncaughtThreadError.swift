// UncaughtThreadError — an error that left a thread's body, and that nobody joined for.

import SignalboxRuntime

/// An error that left the body of a thread which nobody joins.
///
/// *Beyond Apple's API.*
public struct UncaughtThreadError: Error, CustomStringConvertible {
  /// What was thrown.
  public let error: any Error
  /// The thread, by its name where it has one: `the thread "sweeper"`.
  public let thread: String

  public var description: String { "\(thread) ended by an error: \(error)" }

  func report() {
    if let handler = Thread.uncaughtErrorHandler { return handler(self) }
    clientBug(
      "\(thread) ended by an error that nobody caught: \(error). Catch it in the thread's body, "
        + "join the thread, or set Thread.uncaughtErrorHandler.")
  }
}

extension Thread {
  /// Called with each error that leaves the body of a thread which nobody joins. `nil`:
  /// such an error traps.
  ///
  /// ```swift
  /// Thread.uncaughtErrorHandler = { log("\($0)") }
  /// ```
  ///
  /// *Beyond Apple's API.* It is called on the thread as it ends; for a ``JoinableThread``
  /// that was detached or forgotten, on whichever thread came to know last.
  public static var uncaughtErrorHandler: (@Sendable (UncaughtThreadError) -> Void)? {
    get { (ThreadEvents.shared[.uncaughtError] as? Handler<UncaughtThreadError>)?.function }
    set { ThreadEvents.shared.set(.uncaughtError, newValue.map { Handler($0) }) }
  }
}
