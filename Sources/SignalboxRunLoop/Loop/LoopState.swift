// LoopState — whether a loop sleeps, whether it was woken, whether its innermost run is to
// stop, in one word.
//
// bit  name      set if                          set by        cleared by
// 0    asleep    the thread sleeps, or is about   the thread    the thread
//                to and will look at all bits
//                first
// 1    woken     somebody wants the loop to look  any thread    the thread, when it begins a
//                at everything once more                        pass or ends a sleep
// 2    stopped   the innermost run is to end      any thread    the thread: when that run
//                                                               ends, or another begins in it
//
// A wake of a loop that does not sleep is that bit and no more. One of a loop that sleeps
// makes its descriptor readable, but for the second and all later ones, until it has woken.
//
// Touching    the word: any thread, atomically.
// Ordering    LW1  a wake's, or a stop's, releasing or → the thread's acquiring change of
//                  the word: the pass that comes of it sees what was done before the wake.
// Invariants  I1  who sets `woken` where `asleep` was set and `woken` was not makes the
//                 descriptor readable; nobody else does.
//             I2  `asleep` and what it is answered by are read-modify-writes of one word:
//                 either the wake sees that the thread sleeps, or the thread that it was
//                 woken. A plain store could overwrite the other's bit.

import Synchronization

struct LoopState: ~Copyable, Sendable {
  private let word = Atomic<UInt32>(0)

  private static var asleep: UInt32 { 1 }
  private static var woken: UInt32 { 2 }
  private static var stopped: UInt32 { 4 }

  // MARK: Any thread

  /// - Returns: whether the caller must make the descriptor readable.
  borrowing func wake() -> Bool { set(LoopState.woken) }

  /// - Returns: as `wake`.
  borrowing func stop() -> Bool { set(LoopState.woken | LoopState.stopped) }

  private borrowing func set(_ bits: UInt32) -> Bool {
    // order: releasing, LW1
    let old = word.bitwiseOr(bits, ordering: .releasing).oldValue
    return old & (LoopState.asleep | LoopState.woken) == LoopState.asleep
  }

  /// Whether the thread sleeps and nobody has woken it. A hint.
  var isWaiting: Bool {
    // order: relaxed; only an answer to who asks.
    let now = word.load(ordering: .relaxed)
    return now & (LoopState.asleep | LoopState.woken) == LoopState.asleep
  }

  // MARK: The loop's own thread

  /// A pass begins: whoever has woken the loop until now is answered by it.
  borrowing func beginPass() {
    // order: relaxed; a wake that is not seen here makes the next sleep short.
    guard word.load(ordering: .relaxed) & LoopState.woken != 0 else { return }
    word.bitwiseAnd(~LoopState.woken, ordering: .acquiring)  // order: acquiring, LW1
  }

  /// Whether somebody has woken the thread, or it is to stop. A hint: `beginSleep` tells.
  var isWoken: Bool {
    // order: relaxed; as said.
    word.load(ordering: .relaxed) & (LoopState.woken | LoopState.stopped) != 0
  }

  /// The thread is about to sleep.
  ///
  /// - Returns: whether it may; if not, it was woken, which is answered, or is to stop: a
  ///   stop may have come before the pass began, which has answered the wake in it.
  borrowing func beginSleep() -> Bool {
    // order: relaxed; whoever was woken acquires by `endSleep`.
    let old = word.bitwiseOr(LoopState.asleep, ordering: .relaxed).oldValue
    if old & (LoopState.woken | LoopState.stopped) == 0 { return true }
    // Those who come between the two see `woken`, and do nothing.
    _ = endSleep()
    return false
  }

  /// Whether the thread is about to sleep, or does.
  var isAsleep: Bool {
    // order: relaxed; the thread's own bit.
    word.load(ordering: .relaxed) & LoopState.asleep != 0
  }

  /// The thread has come out of the kernel without a reason that it knows, and sleeps on
  /// unless someone has woken it.
  ///
  /// - Returns: whether it may; if not, `endSleep` is to follow.
  borrowing func sleepsOn() -> Bool {
    // A change, and no load: whoever made the descriptor readable changed the word before,
    // but nothing says that a load sees that.
    // order: relaxed; as in `beginSleep`.
    word.bitwiseOr(LoopState.asleep, ordering: .relaxed).oldValue & LoopState.woken == 0
  }

  /// The sleep is over.
  ///
  /// - Returns: whether someone woke the thread.
  borrowing func endSleep() -> Bool {
    let old = word.bitwiseAnd(
      ~(LoopState.asleep | LoopState.woken),
      ordering: .acquiring  // order: acquiring, LW1
    ).oldValue
    return old & LoopState.woken != 0
  }

  /// A run has ended, and the one around it is the innermost again. A stop that came too
  /// late for the one is not for the other.
  ///
  /// - Parameter mustStop: whether the one around it was to stop before the other began.
  borrowing func endRun(_ mustStop: Bool) {
    if mustStop {
      // order: relaxed; only this thread acts upon it.
      word.bitwiseOr(LoopState.stopped, ordering: .relaxed)
    } else {
      _ = takeStop()
    }
  }

  /// Whether the innermost run is to stop. It is not any more.
  borrowing func takeStop() -> Bool {
    // order: relaxed; a stop that is not seen here wakes the next sleep.
    guard word.load(ordering: .relaxed) & LoopState.stopped != 0 else { return false }
    word.bitwiseAnd(~LoopState.stopped, ordering: .acquiring)  // order: acquiring, LW1
    return true
  }
}
