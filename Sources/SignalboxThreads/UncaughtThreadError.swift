// UncaughtThreadError — an error of a thread's body that no joining thread receives.

import SignalboxRuntime

/// An error that the body of a thread threw and that no joining thread receives.
///
/// *Beyond Apple's API.*
public struct UncaughtThreadError: Error, CustomStringConvertible {
  /// The error.
  public let error: any Error
  /// The thread with its name, if it has one: `the thread "sweeper"`.
  public let thread: String

  public var description: String { "\(thread) ended with an uncaught error: \(error)" }

  func report() {
    if let handler = Thread.uncaughtErrorHandler { return handler(self) }
    clientBug(
      "\(thread) ended with an uncaught error: \(error). Catch it in the thread's body, "
        + "join the thread, or set Thread.uncaughtErrorHandler.")
  }
}

extension Thread {
  /// Called with each error that the body of a thread throws and that no joining thread receives.
  /// With `nil` such an error traps.
  ///
  /// ```swift
  /// Thread.uncaughtErrorHandler = { log("\($0)") }
  /// ```
  ///
  /// *Beyond Apple's API.* It runs on the thread as it ends. For a ``JoinableThread`` that was
  /// detached, or whose last reference went away, it runs on the ending thread or on the thread
  /// that detached or released it, whichever was last.
  public static var uncaughtErrorHandler: (@Sendable (UncaughtThreadError) -> Void)? {
    get { (ThreadEvents.shared[.uncaughtError] as? Handler<UncaughtThreadError>)?.function }
    set { ThreadEvents.shared.set(.uncaughtError, newValue.map { Handler($0) }) }
  }
}
