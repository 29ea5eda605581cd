// ThreadLife — how far a thread has come, in one word.
//
// bits   name        set if                         set by              cleared by
// 0–1    phase       see `Phase`                    starter, thread     never lowered,
//                                                                       but by a refusal
// 2      cancelled   the thread was asked to end    anyone              never
//
//   phase      means                               goes on by
//   fresh      not started                         start, or a start after cancel
//   started    handed to the system                the thread's first step, or a refusal
//   executing  in its body                         the end of the body, however it ends
//   finished   the body is over                    –
//
// Touching    the word: any thread, atomically.
// Ordering    TL1  finish's releasing exchange of bits → `isFinished`'s acquiring
//                  load: who sees that a thread has finished sees what its body did.

import Synchronization

package struct ThreadLife: ~Copyable {
  package enum Phase: UInt32, Sendable {
    case fresh, started, executing, finished
  }

  /// What came of an attempt to start.
  package enum Beginning: Sendable {
    /// The thread is the caller's to start.
    case begun
    /// It was cancelled before, and has now finished without running.
    case cancelled
    /// It was started before.
    case notFresh(Phase)
  }

  private let word: Atomic<UInt32>

  private static var phaseMask: UInt32 { 3 }
  private static var cancelled: UInt32 { 4 }

  init(_ phase: Phase) { word = Atomic(phase.rawValue) }

  package var phase: Phase {
    let value = word.load(ordering: .acquiring)  // order: acquiring, TL1
    return ThreadLife.phase(of: value)
  }

  package var isCancelled: Bool {
    // order: relaxed; a request, which carries nothing.
    word.load(ordering: .relaxed) & ThreadLife.cancelled != 0
  }

  package borrowing func cancel() {
    // order: relaxed; as in `isCancelled`.
    word.bitwiseOr(ThreadLife.cancelled, ordering: .relaxed)
  }

  /// - Parameter evenCancelled: whether a thread that was cancelled runs all the
  ///   same.
  package borrowing func begin(evenCancelled: Bool) -> Beginning {
    // order: relaxed; the start itself orders.
    var old = word.load(ordering: .relaxed)
    while true {
      let phase = ThreadLife.phase(of: old)
      guard phase == .fresh else { return .notFresh(phase) }
      let isOver = old & ThreadLife.cancelled != 0 && !evenCancelled
      let next: Phase = isOver ? .finished : .started
      let (done, seen) = word.compareExchange(
        expected: old, desired: old | next.rawValue,
        ordering: .relaxed)  // order: relaxed; as above.
      if done { return isOver ? .cancelled : .begun }
      old = seen
    }
  }

  /// The system refused the thread: it may be tried again.
  borrowing func takeBackBeginning() {
    // order: relaxed; whoever starts it again does so by its own start.
    word.bitwiseAnd(~ThreadLife.phaseMask, ordering: .relaxed)
  }

  /// On the thread itself, at its first step.
  borrowing func execute() {
    // order: relaxed; said for who asks, nothing follows from it.
    word.bitwiseXor(Phase.started.rawValue ^ Phase.executing.rawValue, ordering: .relaxed)
  }

  /// On the thread itself, when its body is over.
  package borrowing func finish() {
    // order: releasing, TL1
    word.bitwiseOr(Phase.finished.rawValue, ordering: .releasing)
  }

  private static func phase(of value: UInt32) -> Phase {
    Phase(rawValue: value & phaseMask)!  // Two bits, four cases.
  }
}

extension ThreadLife.Phase: CustomStringConvertible {
  package var description: String {
    switch self {
    case .fresh: "not started"
    case .started: "starting"
    case .executing: "executing"
    case .finished: "finished"
    }
  }
}
