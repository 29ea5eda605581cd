// Thread+Starting — passes a thread to the system, and handles a refusal.

import SignalboxRuntime

extension Thread {
  /// Starts the thread, as ``start()`` does.
  ///
  /// *Beyond Apple's API.*
  ///
  /// - Throws: the system's refusal. In that case the thread is not started; you may try again.
  public final func tryStart() throws(ThreadCreationError) {
    switch record.life.begin(evenCancelled: record.wantsJoin) {
    case .begun: break
    case .cancelled: return
    case .notFresh(let phase):
      clientBug(
        "\(words) was started twice (it is \(phase) already): a thread runs once; make another.")
    }
    if ThreadRegistry.shared.noteStart() { ThreadHook.becomingMultiThreaded.call(self) }
    let handle = retainedHandle
    record.handle = handle
    let error = record.start(stackSize: stackToStart)
    if error == 0 { return }
    // SAFETY: retained by `retainedHandle`; no thread exists that would release it.
    handle.object.release()
    throw ThreadCreationError(code: error)
  }

  /// Whether ``Termination/waitForThreads(until:)`` waits for this thread. The default is
  /// `false`. Set it before the thread starts; setting it later traps.
  ///
  /// *Beyond Apple's API.*
  public final var mustFinish: Bool {
    get { record.mustFinish }
    set {
      checkIsFresh("mustFinish")
      record.mustFinish = newValue
    }
  }

  /// Called if the system cannot create the thread for ``start()``. With `nil` the failure traps.
  ///
  /// *Beyond Apple's API.* The handler runs on the thread that called `start()`. You may try to
  /// start the same thread again.
  public static var creationFailureHandler: (@Sendable (ThreadCreationError) -> Void)? {
    get {
      (ThreadEvents.shared[.creationFailure] as? Handler<ThreadCreationError>)?.function
    }
    set { ThreadEvents.shared.set(.creationFailure, newValue.map { Handler($0) }) }
  }

  func handleRefusal(_ error: ThreadCreationError) {
    if let handler = Thread.creationFailureHandler { return handler(error) }
    environmentFailure(
      "pthread_create", error.code,
      "\(words) cannot be started, and start() cannot throw. \(error.advice) Or call "
        + "tryStart(), or set Thread.creationFailureHandler.")
  }

  func checkIsFresh(_ property: String) {
    let phase = record.life.phase
    if phase != .fresh || record.isForeign {
      clientBug("\(property) of \(words) was set while it is \(phase): set it before start().")
    }
  }
}

/// A closure of the program, as the engine stores it.
final class Handler<Argument>: Sendable {
  let function: @Sendable (Argument) -> Void
  init(_ function: @escaping @Sendable (Argument) -> Void) { self.function = function }
}
