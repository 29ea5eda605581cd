// Termination — ends the process in an orderly way.

import CSignalbox
public import SignalboxLocks
import SignalboxRuntime
import Synchronization

/// Asks whether the process may end, waits for the threads that must finish, and ends the
/// process.
///
/// ```swift
/// Termination.handler = { documents.isEmpty ? .terminateNow : .terminateLater }
/// // … when all is saved:
/// Termination.reply(toShouldTerminate: true)
/// // … on another thread:
/// Termination.request(waitingUntil: Date() + 5)
/// ```
///
/// *Beyond Apple's API*, modelled on `NSApplicationDelegate.applicationShouldTerminate(_:)`. A
/// process that calls `exit`, or returns from its main function, does not ask.
public enum Termination {
  /// The answer to a request.
  public enum Reply: Sendable {
    /// The process ends, or it does not.
    case terminateNow, terminateCancel
    /// ``Termination/reply(toShouldTerminate:)`` will give the answer.
    case terminateLater
  }

  /// Called on the thread that makes a request; concurrent requests share one call. With `nil`,
  /// every request ends the process.
  public static var handler: (@Sendable () -> Reply)? {
    get { (ThreadEvents.shared[.terminationRequested] as? Question)?.function }
    set { ThreadEvents.shared.set(.terminationRequested, newValue.map { Question($0) }) }
  }

  private final class Question: Sendable {
    let function: @Sendable () -> Reply
    init(_ function: @escaping @Sendable () -> Reply) { self.function = function }
  }

  /// Waits for every thread that has ``Thread/mustFinish`` set, except the caller and other threads
  /// that wait in this function.
  ///
  /// - Parameter limit: when to give up, by the wall clock.
  /// - Returns: whether all of them have ended.
  @available(*, noasync)
  @discardableResult
  public static func waitForThreads(until limit: Date = .distantFuture) -> Bool {
    ThreadRegistry.shared.waitForPending(
      until: limit.deadline, on: .named("the threads that must finish"))
  }

  /// Asks to end the process, and ends it unless ``handler`` objects.
  ///
  /// It waits for a later reply if necessary, then for the threads that must finish, and then
  /// calls `exit`. If several threads make a request at once, one of them calls the handler and
  /// all get its answer.
  ///
  /// - Parameters:
  ///   - status: the process's exit status.
  ///   - limit: when to end without those threads, by the wall clock.
  /// - Returns: only if the end was refused, and then `false`.
  @available(*, noasync)
  @discardableResult
  public static func request(status: Int32 = 0, waitingUntil limit: Date = .distantFuture) -> Bool {
    let (number, isFirst) = TerminationState.shared.begin()
    if isFirst {
      let reply = handler?() ?? .terminateNow
      TerminationState.shared.answer(reply)
    }
    guard TerminationState.shared.waitForAnswer(to: number) else { return false }
    // Other threads with a request sleep until the process is gone.
    if !isFirst {
      ThreadRegistry.shared.countOutThisThread()
      TerminationState.shared.waitForTheEnd()
    }
    waitForThreads(until: limit)
    csb_process_exit(status)
  }

  /// Answers a request for which ``handler`` returned `terminateLater`.
  ///
  /// Any thread may call it. Traps if no answer is awaited.
  ///
  /// - Parameter shouldTerminate: whether the process ends.
  public static func reply(toShouldTerminate shouldTerminate: Bool) {
    guard TerminationState.shared.reply(shouldTerminate) else {
      clientBug(
        "Termination.reply(toShouldTerminate:) was called, and no answer is awaited: call it once "
          + "after the handler has returned terminateLater.")
    }
  }
}
