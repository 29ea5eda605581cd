// LoopState — one word: whether a loop sleeps, whether it was woken, and whether its innermost
// run must stop.
//
// bit  name      set if                          set by        cleared by
// 0    asleep    the thread sleeps, or is about   the thread    the thread
//                to and will look at all bits
//                first
// 1    woken     the loop must look at all its    any thread    the thread, when it begins a
//                inputs again                                   pass or ends a sleep
// 2    stopped   the innermost run must end       any thread    the thread, when that run ends
//                                                               or a nested one begins
//
// If the loop is awake, a wake only sets the bit. The first wake of a sleeping loop
// also makes its descriptor readable; later ones do not, until the loop has woken.
//
// Touching    the word: any thread, atomically.
// Ordering    LW1  a wake's or stop's releasing `or` → the thread's acquiring change of the
//                  word: the pass that follows sees everything done before the wake.
// Invariants  I1  the thread that sets `woken` while `asleep` is set and `woken` is not makes
//                 the descriptor readable; no other thread does.
//             I2  all bits are changed by read-modify-writes of one word. So either the waking
//                 thread sees that the loop sleeps, or the loop sees that it was woken. A plain
//                 store could overwrite the other thread's bit.

import Synchronization

struct LoopState: ~Copyable, Sendable {
  private let word = Atomic<UInt32>(0)

  private static var asleep: UInt32 { 1 }
  private static var woken: UInt32 { 2 }
  private static var stopped: UInt32 { 4 }

  // MARK: Any thread

  /// - Returns: whether the caller must make the descriptor readable.
  borrowing func wake() -> Bool { set(LoopState.woken) }

  /// - Returns: whether the caller must make the descriptor readable.
  borrowing func stop() -> Bool { set(LoopState.woken | LoopState.stopped) }

  private borrowing func set(_ bits: UInt32) -> Bool {
    // order: releasing, LW1
    let old = word.bitwiseOr(bits, ordering: .releasing).oldValue
    return old & (LoopState.asleep | LoopState.woken) == LoopState.asleep
  }

  /// Whether the thread sleeps and has not been woken. A hint.
  var isWaiting: Bool {
    // order: relaxed; the answer may be out of date.
    let now = word.load(ordering: .relaxed)
    return now & (LoopState.asleep | LoopState.woken) == LoopState.asleep
  }

  // MARK: The loop's own thread

  /// Begins a pass, which answers all wakes so far.
  borrowing func beginPass() {
    // order: relaxed; a wake that this load misses makes the next sleep short.
    guard word.load(ordering: .relaxed) & LoopState.woken != 0 else { return }
    word.bitwiseAnd(~LoopState.woken, ordering: .acquiring)  // order: acquiring, LW1
  }

  /// Whether the thread was woken or must stop. A hint; `beginSleep` decides.
  var isWoken: Bool {
    // order: relaxed; may be out of date, `beginSleep` decides.
    word.load(ordering: .relaxed) & (LoopState.woken | LoopState.stopped) != 0
  }

  /// Records that the thread is about to sleep.
  ///
  /// - Returns: whether it may. If not, it was woken, and this call consumes the wake; or it
  ///   must stop: the beginning of a pass clears `woken`, but not an earlier `stopped`.
  borrowing func beginSleep() -> Bool {
    // order: relaxed; a thread that was woken acquires in `endSleep`.
    let old = word.bitwiseOr(LoopState.asleep, ordering: .relaxed).oldValue
    if old & (LoopState.woken | LoopState.stopped) == 0 { return true }
    // Threads that wake the loop between the two changes see `woken` and do nothing.
    _ = endSleep()
    return false
  }

  /// Whether the thread sleeps or is about to.
  var isAsleep: Bool {
    // order: relaxed; the thread's own bit.
    word.load(ordering: .relaxed) & LoopState.asleep != 0
  }

  /// Asks whether the thread may go back to sleep, after it left the kernel without a known reason.
  ///
  /// - Returns: whether no thread has woken it. If one has, call `endSleep` next.
  borrowing func sleepsOn() -> Bool {
    // Use a read-modify-write here, not a load: the thread that made the descriptor readable
    // changed the word before, but nothing guarantees that a load sees the change.
    // order: relaxed; a thread that was woken acquires in `endSleep`.
    word.bitwiseOr(LoopState.asleep, ordering: .relaxed).oldValue & LoopState.woken == 0
  }

  /// Ends the sleep.
  ///
  /// - Returns: whether another thread woke it.
  borrowing func endSleep() -> Bool {
    let old = word.bitwiseAnd(
      ~(LoopState.asleep | LoopState.woken),
      ordering: .acquiring  // order: acquiring, LW1
    ).oldValue
    return old & LoopState.woken != 0
  }

  /// Ends a run; the enclosing one is the innermost again. A stop that came too late for the
  /// nested run must not stop the enclosing one.
  ///
  /// - Parameter mustStop: whether the enclosing run was stopped before the nested one began.
  borrowing func endRun(_ mustStop: Bool) {
    if mustStop {
      // order: relaxed; only this thread acts on it.
      word.bitwiseOr(LoopState.stopped, ordering: .relaxed)
    } else {
      _ = takeStop()
    }
  }

  /// Whether the innermost run must stop. Clears the request.
  borrowing func takeStop() -> Bool {
    // order: relaxed; a stop that this load misses prevents or ends the next sleep.
    guard word.load(ordering: .relaxed) & LoopState.stopped != 0 else { return false }
    word.bitwiseAnd(~LoopState.stopped, ordering: .acquiring)  // order: acquiring, LW1
    return true
  }
}
