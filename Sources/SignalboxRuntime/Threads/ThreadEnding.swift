// ThreadEnding — who waits for the end of a thread, and who is told how it ended.
//
// bits   name       set if                              set by            cleared by
// 0      awaited    a thread may sleep on the word      who joins         a time-out
// 1      ended      the thread's last step is done      the thread        never
// 2      detached   nobody will join                    detach            never
// 3      joining    a thread waits for the end          who joins         join, a time-out
// 4      joined     the join is over                    who joined        never
//
//   not ended, detached         the thread itself tells of an error, at its end
//   ended, then detached        who detaches does
//   ended, joined               who joined is given it
//
// `ended` and `detached` stand in one word: each of the two that set them sees whether
// it is the second, so exactly one tells.
//
// Touching    the word: any thread, atomically.
// Ordering    TE1  the end's releasing exchange of bits → the acquiring load of who
//                  joins, or detaches late: it sees all that the thread did. What
//                  others change in between carries that on.
// Invariants  I1  while a thread sleeps on the word nothing changes it but the end.

import Synchronization

package struct ThreadEnding: ~Copyable {
  package enum Claim: Sendable { case claimed, detached, joining, joined }

  private let word = Atomic<UInt32>(0)

  private static var awaited: UInt32 { 1 }
  private static var ended: UInt32 { 2 }
  private static var detached: UInt32 { 4 }
  private static var joining: UInt32 { 8 }
  private static var joined: UInt32 { 16 }

  init() {}

  private static func claim(of value: UInt32) -> Claim {
    if value & detached != 0 { return .detached }
    if value & joined != 0 { return .joined }
    return value & joining != 0 ? .joining : .claimed
  }

  /// Makes the caller the one that joins, if it may be.
  package borrowing func claim() -> Claim {
    // order: relaxed; what the thread did is seen by `isEnded`.
    var old = word.load(ordering: .relaxed)
    while true {
      let found = ThreadEnding.claim(of: old)
      guard case .claimed = found else { return found }
      let (done, seen) = word.compareExchange(
        expected: old, desired: old | ThreadEnding.joining,
        ordering: .relaxed)  // order: relaxed; as above.
      if done { return .claimed }
      old = seen
    }
  }

  package var isEnded: Bool {
    // order: acquiring, TE1
    word.load(ordering: .acquiring) & ThreadEnding.ended != 0
  }

  package var isDetached: Bool {
    // order: relaxed; before the start, by who starts it.
    word.load(ordering: .relaxed) & ThreadEnding.detached != 0
  }

  /// Says that the caller, which joins, is about to sleep.
  ///
  /// - Returns: the value to sleep on; nil where the thread has ended.
  package borrowing func announce() -> UInt32? {
    // order: relaxed; what the thread did is seen by `isEnded`.
    let old = word.bitwiseOr(ThreadEnding.awaited, ordering: .relaxed).oldValue
    return old & ThreadEnding.ended != 0 ? nil : old | ThreadEnding.awaited
  }

  package var address: UnsafeRawPointer { wordAddress(word) }

  /// The caller has waited long enough.
  ///
  /// - Returns: whether it joins no more; if not, the thread has ended meanwhile.
  package borrowing func concede() -> Bool {
    // order: relaxed; what the thread did is seen by `isEnded`.
    var old = word.load(ordering: .relaxed)
    while old & ThreadEnding.ended == 0 {
      let (done, seen) = word.compareExchange(
        expected: old, desired: old & ~(ThreadEnding.joining | ThreadEnding.awaited),
        ordering: .relaxed)  // order: relaxed; as above.
      if done { return true }
      old = seen
    }
    return false
  }

  /// The caller has joined.
  package borrowing func complete() {
    // order: relaxed; only who asks whether it was joined reads it.
    word.bitwiseOr(ThreadEnding.joined, ordering: .relaxed)
  }

  /// What came of a detach.
  package enum Detachment: Sendable {
    /// The thread tells of an error itself.
    case left
    /// It has ended: the caller tells of its error.
    case ended
    case refused(Claim)
  }

  package borrowing func detach() -> Detachment {
    // order: relaxed; what the thread did is seen by `isEnded`.
    var old = word.load(ordering: .relaxed)
    while true {
      let found = ThreadEnding.claim(of: old)
      guard case .claimed = found else { return .refused(found) }
      let (done, seen) = word.compareExchange(
        expected: old, desired: old | ThreadEnding.detached,
        ordering: .relaxed)  // order: relaxed; as above.
      if done { return old & ThreadEnding.ended != 0 && isEnded ? .ended : .left }
      old = seen
    }
  }

  /// What the thread must see to after its last step, in which its record may go.
  struct Duties {
    let mustWake: Bool
    let isDetached: Bool
  }

  /// On the thread itself, when nothing is left for it to do.
  borrowing func end() -> Duties {
    // order: releasing, TE1
    let old = word.bitwiseOr(ThreadEnding.ended, ordering: .releasing).oldValue
    return Duties(
      mustWake: old & ThreadEnding.awaited != 0, isDetached: old & ThreadEnding.detached != 0)
  }
}
