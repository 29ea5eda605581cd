// ThreadEnding — the end of a thread: which thread waits for it, and which one reports an
// error.
//
// bits   name       set if                              set by              cleared by
// 0      awaited    a thread may sleep on the word      the joining thread  a timeout
// 1      ended      the thread's last step is done      the thread          never
// 2      detached   no thread will join                 detach              never
// 3      joining    a thread joins or has joined        the joining thread  a timeout
// 4      joined     the join is over                    the joining thread  never
//
//   not ended, detached         the thread reports an error itself, at its end
//   ended, then detached        the detaching thread reports it
//   ended, joined               the joining thread receives it
//
// `ended` and `detached` are in one word: each of the two threads that set them sees
// whether it is the second, so exactly one reports.
//
// Touching    the word: any thread, atomically.
// Ordering    TE1  the end's releasing exchange of bits → the acquiring load of the
//                  thread that joins, or detaches late: it sees all that the thread
//                  did. The read-modify-writes of other threads in between keep the edge.
// Invariants  I1  while a thread sleeps on the word, only the end changes it.

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

  /// Makes the caller the joining thread, if no other thread joins or has joined, and the
  /// thread is not detached.
  package borrowing func claim() -> Claim {
    // order: relaxed; `isEnded` sees what the thread did.
    var old = word.load(ordering: .relaxed)
    while true {
      let found = ThreadEnding.claim(of: old)
      guard case .claimed = found else { return found }
      let (done, seen) = word.compareExchange(
        expected: old, desired: old | ThreadEnding.joining,
        ordering: .relaxed)  // order: relaxed; see above.
      if done { return .claimed }
      old = seen
    }
  }

  package var isEnded: Bool {
    // order: acquiring, TE1
    word.load(ordering: .acquiring) & ThreadEnding.ended != 0
  }

  package var isDetached: Bool {
    // order: relaxed; read before the start, by the starting thread.
    word.load(ordering: .relaxed) & ThreadEnding.detached != 0
  }

  /// Records that the joining thread, which calls this, is about to sleep.
  ///
  /// - Returns: the value to sleep on; nil if the thread has ended.
  package borrowing func announce() -> UInt32? {
    // order: relaxed; `isEnded` sees what the thread did.
    let old = word.bitwiseOr(ThreadEnding.awaited, ordering: .relaxed).oldValue
    return old & ThreadEnding.ended != 0 ? nil : old | ThreadEnding.awaited
  }

  package var address: UnsafeRawPointer { wordAddress(word) }

  /// Gives up the join because its deadline has passed.
  ///
  /// - Returns: whether the caller has stopped joining. If not, the thread has ended
  ///   meanwhile.
  package borrowing func concede() -> Bool {
    // order: relaxed; `isEnded` sees what the thread did.
    var old = word.load(ordering: .relaxed)
    while old & ThreadEnding.ended == 0 {
      let (done, seen) = word.compareExchange(
        expected: old, desired: old & ~(ThreadEnding.joining | ThreadEnding.awaited),
        ordering: .relaxed)  // order: relaxed; see above.
      if done { return true }
      old = seen
    }
    return false
  }

  /// Records that the caller has joined.
  package borrowing func complete() {
    // order: relaxed; read only to find out whether the thread was joined.
    word.bitwiseOr(ThreadEnding.joined, ordering: .relaxed)
  }

  /// The result of a detach.
  package enum Detachment: Sendable {
    /// The thread reports an error itself.
    case left
    /// The thread has ended: the caller reports its error.
    case ended
    case refused(Claim)
  }

  package borrowing func detach() -> Detachment {
    // order: relaxed; `isEnded` sees what the thread did.
    var old = word.load(ordering: .relaxed)
    while true {
      let found = ThreadEnding.claim(of: old)
      guard case .claimed = found else { return .refused(found) }
      let (done, seen) = word.compareExchange(
        expected: old, desired: old | ThreadEnding.detached,
        ordering: .relaxed)  // order: relaxed; see above.
      if done { return old & ThreadEnding.ended != 0 && isEnded ? .ended : .left }
      old = seen
    }
  }

  /// What the thread must do after its last step, when its record may already be freed.
  struct Duties {
    let mustWake: Bool
    let isDetached: Bool
  }

  /// Ends the thread. The thread itself calls this when it has nothing left to do.
  borrowing func end() -> Duties {
    // order: releasing, TE1
    let old = word.bitwiseOr(ThreadEnding.ended, ordering: .releasing).oldValue
    return Duties(
      mustWake: old & ThreadEnding.awaited != 0, isDetached: old & ThreadEnding.detached != 0)
  }
}
