// Waiter — one wait of one task, and which of the two ends it: what is waited for, or the
// task's cancellation.
//
// A subclass says where it waits: `enlist` puts it there, `withdraw` takes it out. Whoever
// brings what is waited for calls `take` and resumes what it is given; whoever gets nothing
// has lost to the cancellation, and gives what it brought to another one.
//
// States      from       to         by          and then
//             fresh      parked     the task    it enlists
//             fresh      cancelled  the task's cancellation; nothing was enlisted
//             parked     enlisted   the task    it suspends
//             parked     taken      `take`      the taker resumes the task
//             parked     cancelled  the task's cancellation, which resumes it; the task, which
//                                   is still about to suspend, withdraws
//             enlisted   taken      `take`      the taker resumes the task
//             enlisted   cancelled  the task's cancellation, which withdraws, then resumes
// Touching    `phase`, `continuation`: any thread, under `lock`. What a subclass has besides:
//             the task before it enlists; the taker; whoever withdraws.
// Ordering    all by the lock. What the taker did comes before what the task does next.
// Invariants  I1  the continuation is taken out with the step to `taken` or `cancelled`, so it
//                 is resumed once.
//             I2  `withdraw` runs once, after a cancellation and only if `enlist` has run, and
//                 never beside it; the task goes on when it has returned.
//             I3  nothing is resumed with a lock held: the runtime takes the lock of the task
//                 that it resumes, and calls the cancellation with that lock held.
// Rejected    a word that is the continuation's address or an outcome: two of the three locks
//             of a wait would be gone, of some ten nanoseconds each beside a suspension's
//             hundreds, for four orderings to be argued.
//             a waiter in the task's own memory: one that comes too late with what was waited
//             for still looks at it, after the cancelled task has gone on.

import SignalboxRuntime

class Waiter: @unchecked Sendable {  // SAFETY: see Touching.
  enum Outcome { case came, cancelled }
  typealias Continuation = UnsafeContinuation<Outcome, Never>

  private enum Phase { case fresh, parked, enlisted, taken, cancelled }

  private let lock = EngineLock()
  private var phase = Phase.fresh
  private var continuation: Continuation?

  deinit {
    if continuation != nil { internalBug("a waiter was freed while its task waits") }
  }

  // MARK: For subclasses

  /// Puts the waiter where what it waits for will find it, or takes it at once, if that is
  /// there already. The task calls it, once.
  func enlist() { internalBug("a waiter that waits for nothing") }

  /// Takes the waiter out again, if it is still there, and frees what it holds.
  func withdraw() { internalBug("a waiter that waits for nothing") }

  // MARK: The task

  /// Waits. If the task is cancelled before what it waits for has come, it throws; what is
  /// waited for knows nothing of the waiter any more then.
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
    enlist()
    if hasEnlisted() == .cancelled { withdraw() }
  }

  private func begin(with continuation: Continuation) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard phase == .fresh else { return false }
    phase = .parked
    self.continuation = continuation
    return true
  }

  private func hasEnlisted() -> Phase {
    lock.lock()
    defer { lock.unlock() }
    if phase == .parked { phase = .enlisted }
    return phase
  }

  // MARK: What ends it

  /// What is waited for has come.
  ///
  /// - Returns: what the caller must resume with `.came`; nil if the task was cancelled before.
  final func take() -> Continuation? { leave(to: .taken).continuation }

  private func cancel() {
    let (before, continuation) = leave(to: .cancelled)
    if before == .enlisted { withdraw() }
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

  /// What is waited for has come, and needs nobody else if this one is gone.
  final func resume() { take()?.resume(returning: .came) }
}
