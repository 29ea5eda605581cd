// TerminationState — a request to end the process, and the answer to it, in one word.
//
// bits   name     what
// 0–2    phase    see `Phase`
// 3–31   request  the number of the request, which tells a refused request from the next
//
//   phase       means                              ends with
//   idle        no request                         begin
//   asking      the handler is being asked         its answer; a reply that comes early
//   toldNow     asking, but a reply said yes       the handler's answer
//   toldCancel  asking, but a reply said no        the handler's answer
//   later       a reply will come                  reply
//   ending      the process ends                   –
//
// Touching    the word: any thread, atomically.
// Ordering    TT1  the releasing compare-and-swap of an answer or a reply → the acquiring load of
//                  a requesting thread: it sees what was done before the answer.

import SignalboxRuntime
import Synchronization

final class TerminationState: Sendable {
  static let shared = TerminationState()

  private enum Phase: UInt32 { case idle, asking, toldNow, toldCancel, later, ending }

  private struct Snapshot {
    let value: UInt32
    var request: UInt32 { value >> 3 }
    /// SAFETY of the unwrapping: only phases are ever stored.
    var phase: Phase { Phase(rawValue: value & 7)! }
    init(value: UInt32) { self.value = value }
    init(_ request: UInt32, _ phase: Phase) { value = request << 3 | phase.rawValue }
  }

  private let word = Atomic<UInt32>(0)

  private var now: Snapshot {
    Snapshot(value: word.load(ordering: .acquiring))  // order: acquiring, TT1
  }

  private func go(from old: Snapshot, to new: Snapshot) -> Bool {
    let (done, _) = word.compareExchange(
      expected: old.value, desired: new.value,
      successOrdering: .releasing,  // order: releasing, TT1
      failureOrdering: .relaxed)
    if done { Parking.wake(wordAddress(word), count: .max) }
    return done
  }

  /// Begins a request, or joins the one under way.
  ///
  /// - Returns: the request's number, and whether the caller has begun it.
  func begin() -> (request: UInt32, isFirst: Bool) {
    while true {
      let old = now
      guard old.phase == .idle else { return (old.request, false) }
      if go(from: old, to: Snapshot(old.request, .asking)) { return (old.request, true) }
    }
  }

  /// Applies the handler's answer. Called by the thread that asked the handler.
  func answer(_ reply: Termination.Reply) {
    while true {
      let old = now
      let next: Snapshot =
        switch (reply, old.phase) {
        case (.terminateNow, _), (.terminateLater, .toldNow): Snapshot(old.request, .ending)
        case (.terminateCancel, _), (.terminateLater, .toldCancel):
          Snapshot(old.request &+ 1, .idle)
        case (.terminateLater, _): Snapshot(old.request, .later)
        }
      if go(from: old, to: next) { return }
    }
  }

  /// Applies the program's reply.
  ///
  /// - Returns: whether a reply was awaited.
  func reply(_ shouldTerminate: Bool) -> Bool {
    while true {
      let old = now
      let next: Snapshot
      switch old.phase {
      case .asking: next = Snapshot(old.request, shouldTerminate ? .toldNow : .toldCancel)
      case .later:
        next =
          shouldTerminate ? Snapshot(old.request, .ending) : Snapshot(old.request &+ 1, .idle)
      case .idle, .toldNow, .toldCancel, .ending: return false
      }
      if go(from: old, to: next) { return true }
    }
  }

  /// Waits until the request is decided.
  ///
  /// - Returns: whether the process ends.
  func waitForAnswer(to request: UInt32) -> Bool {
    while true {
      let seen = now
      if seen.phase == .ending { return true }
      if seen.request != request { return false }
      sleep(on: seen)
    }
  }

  /// Sleeps until the process is gone.
  func waitForTheEnd() -> Never {
    while true { sleep(on: now) }
  }

  private func sleep(on seen: Snapshot) {
    _ = Parking.wait(
      while: wordAddress(word), is: seen.value, until: .never, for: .condition,
      on: .named("an answer whether the process may end"))
  }
}
