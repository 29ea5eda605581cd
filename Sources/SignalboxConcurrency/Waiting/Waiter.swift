// Waiter — one wait of one task, which the awaited event or the task's cancellation ends.
//
// A subclass determines where it waits: `register` registers the waiter there, `withdraw`
// removes it. The code that brings the event calls `take` and resumes the continuation that it
// returns. If `take` returns nil, the task was cancelled first, and the event goes to another
// waiter.
//
// States      from       to         by          and then
//             fresh      parked     the task    it registers
//             fresh      cancelled  the task's cancellation; nothing was registered
//             parked     registered the task    it suspends
//             parked     taken      `take`      the taker resumes the task
//             parked     cancelled  the task's cancellation, which resumes it; the task, which
//                                   is still about to suspend, withdraws
//             registered taken      `take`      the taker resumes the task
//             registered cancelled  the task's cancellation, which withdraws, then resumes
// Touching    `phase`, `continuation`: any thread, under `lock`. A subclass's own members: the
//             task before it registers; the taker; the code that withdraws.
// Ordering    all by the lock. The task sees, after the wait, what the taker did.
// Invariants  I1  the continuation is removed with the step to `taken` or `cancelled`, so it is
//                 resumed once.
//             I2  `withdraw` runs once, after a cancellation, and only after `register` has
//                 returned; the task continues after `withdraw` has returned.
//             I3  no task is resumed with a lock held: the runtime takes the lock of the task
//                 that it resumes, and calls the cancellation handler with that lock held.
// Rejected    a word that holds the continuation's address or an outcome: it would save two of a
//             wait's three locks, some ten nanoseconds each compared with a suspension's hundreds,
//             and would need proofs for four orderings. a waiter in the task's own memory: an event
//             that occurs too late still looks at the waiter after the cancelled task has
//             continued.

import SignalboxRuntime

class Waiter: @unchecked Sendable {  // SAFETY: see Touching.
  enum Outcome { case came, cancelled }
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  private enum Phase { case fresh, parked, registered, taken, cancelled }

  private let lock = EngineLock()
  private var phase = Phase.fresh
  private var continuation: Continuation?

  deinit {
    if continuation != nil { internalBug("a waiter was freed while its task waits") }
  }

  // MARK: For subclasses

  /// Registers the waiter where the event will find it, or takes it at once if the event has
  /// already occurred. The task calls this function, once.
  func register() { internalBug("\(type(of: self)) does not override register()") }

  /// Removes the waiter again, if it is still there, and frees what it holds.
  func withdraw() { internalBug("\(type(of: self)) does not override withdraw()") }

  // MARK: The task

  /// Waits. If the task is cancelled before the event, throws; the waiter is then no longer
  /// registered.
  nonisolated(nonsending) final func wait() async throws(CancellationError) {
    let outcome = await withTaskCancellationHandler {
      // SAFETY: resumed once, I1.
      await withUnsafeContinuation { park($0) }
    } onCancel: {
      cancel()
    }
    if case .cancelled = outcome { throw CancellationError() }
  }

  private func park(_ continuation: Continuation) {
    guard begin(with: continuation) else { return continuation.resume(returning: .cancelled) }
    register()
    if hasRegistered() == .cancelled { withdraw() }
  }

  private func begin(with continuation: Continuation) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard phase == .fresh else { return false }
    phase = .parked
    self.continuation = continuation
    return true
  }

  private func hasRegistered() -> Phase {
    lock.lock()
    defer { lock.unlock() }
    if phase == .parked { phase = .registered }
    return phase
  }

  // MARK: Ending the wait

  /// Ends the wait because the event has occurred.
  ///
  /// - Returns: the continuation to resume with `.came`, or nil if the task was cancelled before.
  final func take() -> Continuation? { leave(to: .taken).continuation }

  private func cancel() {
    let (before, continuation) = leave(to: .cancelled)
    if before == .registered { withdraw() }
    continuation?.resume(returning: .cancelled)
  }

  private func leave(to end: Phase) -> (from: Phase, continuation: Continuation?) {
    lock.lock()
    defer { lock.unlock() }
    let before = phase
    if before == .taken || before == .cancelled { return (before, nil) }
    phase = end
    defer { continuation = nil }
    return (before, continuation)
  }

  /// Resumes the task for an event that needs no other waiter if this one was cancelled.
  final func resume() { take()?.resume(returning: .came) }
}
