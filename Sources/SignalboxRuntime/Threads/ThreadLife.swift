// ThreadLife — the stage of a thread's life, in one word.
//
// bits   name        set if                         set by              cleared by
// 0–1    phase       see `Phase`                    starter, thread     a refusal only
// 2      cancelled   the thread was asked to end    any thread          never
//
//   phase      means                               leaves it by
//   fresh      not started                         start, or a start after cancel
//   started    handed to the system                the thread's first step, or a refusal
//   executing  in its body                         the end of the body, however it ends
//   finished   the body has ended                  –
//
// Touching    the word: any thread, atomically.
// Ordering    TL1  finish's releasing exchange of bits → `phase`'s acquiring
//                  load: a thread that sees `finished` sees what the body did.

import Synchronization

package struct ThreadLife: ~Copyable {
  package enum Phase: UInt32, Sendable {
    case fresh, started, executing, finished
  }

  /// The result of an attempt to start.
  package enum Beginning: Sendable {
    /// The caller starts the thread.
    case begun
    /// The thread was cancelled before, and has now finished without running.
    case cancelled
    /// The thread was started before.
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
    // order: relaxed; a request, which publishes nothing.
    word.load(ordering: .relaxed) & ThreadLife.cancelled != 0
  }

  package borrowing func cancel() {
    // order: relaxed; as in `isCancelled`.
    word.bitwiseOr(ThreadLife.cancelled, ordering: .relaxed)
  }

  /// - Parameter evenCancelled: whether a thread that was cancelled runs nevertheless.
  package borrowing func begin(evenCancelled: Bool) -> Beginning {
    // order: relaxed; starting the thread orders memory.
    var old = word.load(ordering: .relaxed)
    while true {
      let phase = ThreadLife.phase(of: old)
      guard phase == .fresh else { return .notFresh(phase) }
      let isOver = old & ThreadLife.cancelled != 0 && !evenCancelled
      let next: Phase = isOver ? .finished : .started
      let (done, seen) = word.compareExchange(
        expected: old, desired: old | next.rawValue,
        ordering: .relaxed)  // order: relaxed; see above.
      if done { return isOver ? .cancelled : .begun }
      old = seen
    }
  }

  /// Goes back to `fresh` because the system refused the thread; it may be started again.
  borrowing func takeBackBeginning() {
    // order: relaxed; another attempt to start does not depend on it.
    word.bitwiseAnd(~ThreadLife.phaseMask, ordering: .relaxed)
  }

  /// Begins the body. The thread itself calls this at its first step.
  borrowing func execute() {
    // order: relaxed; for information only, nothing follows from it.
    word.bitwiseXor(Phase.started.rawValue ^ Phase.executing.rawValue, ordering: .relaxed)
  }

  /// Ends the body. The thread itself calls this.
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
