// JoinableThread — a thread that another thread can wait for, with the result of its body.
//
// States      see `ThreadEnding`
// Touching    `body`: the thread until its end; then the thread that has seen the end (TE1).

import CSignalbox
public import SignalboxDispatch
public import SignalboxLocks
import SignalboxRuntime

/// A thread that you can wait for. It passes on what its body returned or threw.
///
/// ```swift
/// let sum = JoinableThread { numbers.reduce(0, +) }
/// sum.start()
/// print(sum.join())
/// ```
///
/// *Beyond Apple's API*, whose threads cannot be joined. Join it once, or detach it. If you do
/// neither, the thread keeps its result until the last reference to the thread goes away; an error
/// of its body then goes to ``Thread/uncaughtErrorHandler``.
///
/// Any thread may use it. A join costs one or two system calls. When it returns, the thread has
/// run its body and the code at its end; its system resources, above all its stack, are freed
/// within microseconds. If a worker of the queues joins, another worker replaces it in the
/// meantime. A cycle of threads that wait for each other traps with a message that names them.
///
/// Source: the manual page of `pthread_join`.
// SAFETY: `body` is used by the thread, then by the thread that has seen its end; `thread` never
// changes.
public final class JoinableThread<Success: Sendable, Failure: Error>: @unchecked Sendable {
  /// The underlying thread, with its attributes.
  ///
  /// You may start it directly or through this object.
  public let thread: Thread
  private let body: ThreadBody<Success, Failure>

  /// Creates a thread that runs `body`.
  ///
  /// The body runs even if the thread is cancelled before its start, because another thread may
  /// wait for the result.
  public init(_ body: @escaping @Sendable () throws(Failure) -> Success) {
    let task = ThreadBody(body)
    self.body = task
    thread = Thread(task: task)
    thread.record.wantsJoin = true
  }

  /// Makes a thread of any class joinable. The thread must not have been started yet.
  public init(joining thread: Thread) where Success == Void, Failure == Never {
    thread.checkIsFresh("joinability")
    self.thread = thread
    body = ThreadBody {}
    body.run()
    thread.record.wantsJoin = true
  }

  // MARK: The thread

  /// Starts the thread, as ``Thread/start()`` does.
  public func start() { thread.start() }

  /// Starts the thread, or throws the system's refusal.
  public func tryStart() throws(ThreadCreationError) { try thread.tryStart() }

  /// The thread's name, as ``Thread/name``.
  public var name: String? {
    get { thread.name }
    set { thread.name = newValue }
  }

  /// Asks the thread to end. Its body must check `Thread.current.isCancelled` and return.
  public func cancel() { thread.cancel() }

  /// Whether the thread has begun and not ended.
  public var isExecuting: Bool { thread.isExecuting }

  /// Whether the thread has ended.
  public var isFinished: Bool { thread.isFinished }

  // MARK: Joining

  /// Waits until the thread ends.
  ///
  /// Traps if the thread was not started, is detached, was joined or is being joined, or is the
  /// calling thread, and if it ended without a result.
  ///
  /// - Returns: what the body returned.
  /// - Throws: what the body threw.
  @available(*, noasync)
  public func join() throws(Failure) -> Success {
    _ = wait(until: .never)
    return try outcome()
  }

  /// Waits until the thread ends, or the wall clock passes `limit`.
  ///
  /// After a timeout you may join it again. It traps and throws as `join()` does.
  ///
  /// - Returns: what the body returned; `nil` after a timeout.
  @available(*, noasync)
  public func join(before limit: Date) throws(Failure) -> Success? {
    guard wait(until: limit.deadline) else { return nil }
    return try outcome()
  }

  /// Waits until the thread ends or `timeout` has passed, on the clock of
  /// `timeout`.
  ///
  /// After a timeout you may join it again. It traps and throws as `join()` does.
  ///
  /// - Returns: what the body returned; `nil` after a timeout.
  @available(*, noasync)
  public func join(timeout: DispatchTime) throws(Failure) -> Success? {
    guard wait(until: timeout.deadline) else { return nil }
    return try outcome()
  }

  /// Detaches the thread, so that no thread can join it. An error that its body throws goes to the
  /// error handler.
  ///
  /// You may call it before or after the start. Traps if the thread is detached, was joined or is
  /// being joined.
  public func detach() {
    switch thread.record.ending.detach() {
    case .left: break
    case .ended: thread.reportError()
    case .refused(let claim): refuse("detached", claim)
    }
  }

  // MARK: Mechanism

  private func outcome() throws(Failure) -> Success {
    guard let outcome = body.takeOutcome() else {
      clientBug(
        "\(thread.words) was joined and ended without a result of type \(Success.self): something "
          + "ended it from within its body. Use Thread.exit(returning:).")
    }
    return try outcome.get()
  }

  /// - Returns: whether the thread has ended and is joined; false after a timeout.
  private func wait(until deadline: Deadline) -> Bool {
    let record = thread.record
    checkCanBeJoined()
    let claim = record.ending.claim()
    guard case .claimed = claim else { refuse("joined", claim) }
    while !record.ending.isEnded {
      guard let word = record.ending.announce() else { continue }
      let outcome = Parking.wait(
        while: record.ending.address, is: word, until: deadline, for: .join, on: resource)
      if outcome == .timedOut && record.ending.concede() { return false }
    }
    record.ending.complete()
    return true
  }

  private func checkCanBeJoined() {
    let record = thread.record
    if record.number == csb_thread_number() {
      selfDeadlock(
        "\(thread.words) was joined by itself: it would wait forever. Join it from another thread.",
        for: .join, on: resource)
    }
    if record.life.phase == .fresh {
      clientBug("\(thread.words) was joined before it was started: call start() first.")
    }
    if record.isLost {
      clientBug(
        "\(thread.words) was joined in a forked child, but it runs in the parent: join it there.")
    }
  }

  private func refuse(_ act: String, _ claim: ThreadEnding.Claim) -> Never {
    let state =
      switch claim {
      case .detached: "it is detached already"
      case .joined: "it has been joined already"
      case .joining: "another thread is joining it"
      case .claimed: internalBug("a claim was refused without a reason.")
      }
    clientBug("\(thread.words) was \(act), but \(state): join or detach a thread once.")
  }

  private var resource: WaitResource {
    WaitResource(
      // SAFETY: a joining thread holds a reference to the thread.
      object: UnsafeRawPointer(Unmanaged.passUnretained(thread).toOpaque()),
      describe: { Thread.at($0)._withUnsafeGuaranteedRef(\.words) },
      need: { raw, _ in
        // SAFETY: a joining thread holds a reference to the thread.
        let number = Thread.at(raw)._withUnsafeGuaranteedRef(\.record.number)
        return number == 0 ? .nobody : .thread(number)
      }, place: { $0.place },
      view: OutsideView("the thread", label: .holder, holder: .word(thread.record.numberAddress)))
  }
}

extension JoinableThread: Hashable, CustomStringConvertible {
  public static func == (a: JoinableThread, b: JoinableThread) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  public var description: String { thread.description }
}
