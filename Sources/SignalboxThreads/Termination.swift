// Termination — the end of the process in good order.

import CSignalbox
public import SignalboxLocks
import SignalboxRuntime
import Synchronization

/// Asks whether the process may end, waits for the threads that must finish, and ends it.
///
/// ```swift
/// Termination.handler = { documents.isEmpty ? .terminateNow : .terminateLater }
/// // … when all is saved:
/// Termination.reply(toShouldTerminate: true)
/// // … on another thread:
/// Termination.request(waitingUntil: Date() + 5)
/// ```
///
/// *Beyond Apple's API*, after `NSApplicationDelegate.applicationShouldTerminate(_:)`. A
/// process that calls `exit`, or returns from its main function, asks nobody.
public enum Termination {
  /// What is said to a request.
  public enum Reply: Sendable {
    /// The process ends, or it does not.
    case terminateNow, terminateCancel
    /// ``Termination/reply(toShouldTerminate:)`` will tell.
    case terminateLater
  }

  /// Asked at each request, on the thread that makes it. `nil`: the process may end.
  public static var handler: (@Sendable () -> Reply)? {
    get { (ThreadEvents.shared[.terminationRequested] as? Question)?.function }
    set { ThreadEvents.shared.set(.terminationRequested, newValue.map { Question($0) }) }
  }

  private final class Question: Sendable {
    let function: @Sendable () -> Reply
    init(_ function: @escaping @Sendable () -> Reply) { self.function = function }
  }

  /// Waits for every thread whose ``Thread/mustFinish`` is set, the caller left out, and
  /// others that wait here.
  ///
  /// - Parameter limit: by the wall clock, when to give up.
  /// - Returns: whether they all have ended.
  @available(*, noasync)
  @discardableResult
  public static func waitForThreads(until limit: Date = .distantFuture) -> Bool {
    ThreadRegistry.shared.waitForPending(
      until: limit.deadline, on: .named("the threads that must finish"))
  }

  /// Asks for the process's end, and ends it unless ``handler`` objects.
  ///
  /// It waits for a reply that comes later, then for the threads that must finish, then calls
  /// `exit`. Several threads may ask at once: one of them asks the handler, all get its
  /// answer.
  ///
  /// - Parameters:
  ///   - status: the process's exit status.
  ///   - limit: by the wall clock, when to end without those threads.
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
    // Whoever asked as well sleeps until the process is gone.
    if !isFirst {
      ThreadRegistry.shared.countOutThisThread()
      TerminationState.shared.waitForTheEnd()
    }
    waitForThreads(until: limit)
    csb_process_exit(status)
  }

  /// Answers a request for which ``handler`` said `terminateLater`.
  ///
  /// Any thread. Traps where no answer is awaited.
  ///
  /// - Parameter shouldTerminate: whether the process is to end.
  public static func reply(toShouldTerminate shouldTerminate: Bool) {
    guard TerminationState.shared.reply(shouldTerminate) else {
      clientBug(
        "Termination.reply(toShouldTerminate:) was called, and no answer is awaited: call it once "
          + "after the handler has returned terminateLater.")
    }
  }
}
