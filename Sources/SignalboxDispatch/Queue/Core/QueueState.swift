// QueueState — who holds a queue, and who must drain it next, in one word.
//
// bits    name       set if                       set by              cleared by
// 0–31    owner      a thread holds the queue:    taking, granting    the owner
//                    it drains, or runs alone
// 32–45   shared     a count of the items and     the owner, sync     the end of each
//                    syncs that run side by side
// 46      pending    the list may hold items      the producer that   the owner, which
//                    that no thread has seen      found it empty; an  then looks
//                                                 owner that leaves or grants
// 47      scheduled  the drain task is under      the thread that     the drain task
//                    way                          schedules           when it arrives
// 48      gated      the first item waits for     an owner that       the next owner
//                    all shares to be returned    leaves
// 49      inactive   created inactive, and not    init                activate
//                    activated yet
// 50–63   suspended  a count                      suspend             resume
//
// A serial queue never has `shared`. A queue is *halted* if it is inactive or suspended: then no
// thread becomes its owner. A queue is *full* if `shared` is at its maximum: then an item that
// needs a share waits in the list, and the thread that next gives up a share becomes the owner.
//
// Touching    the word: any thread, atomically, only through the transitions below. The list's
//             head: the owner.
// Ordering    QS1  a step that gives up ownership or a share (releasing) → a step that takes
//                  ownership or a share (acquiring): work sees the effects of the work before it.
//             QS2  a producer that sets `pending` (releasing) → the owner that clears it
//                  (acquiring): the owner sees the item.
// Invariants  I1  list not empty ∧ not halted ⇒ there is an owner, or `scheduled`, or `gated` with
//                 `shared` > 0, or the queue is full and `pending`, or a producer or a waiter is
//                 between its append and its announcement.
//             I2  ownership is taken and given up only by read-modify-writes. A plain store could
//                 overwrite a `pending` that another thread has just set, and the item would wait
//                 forever.
// Rejected    a lock around plain fields: an uncontended `sync` would cost three times as much,
//             and a preempted holder would stall every producer.

import SignalboxRuntime
public import Synchronization

@frozen @usableFromInline
package struct QueueState: ~Copyable {
  @usableFromInline let word: Atomic<UInt64>

  init(inactive: Bool) {
    word = Atomic(inactive ? Snapshot.inactiveBit : 0)
  }

  /// The word as it was at one moment.
  @frozen @usableFromInline
  package struct Snapshot {
    @usableFromInline var bits: UInt64
    @inlinable init(_ bits: UInt64) { self.bits = bits }

    @usableFromInline static var ownerMask: UInt64 { 0xFFFF_FFFF }
    @usableFromInline static var oneShared: UInt64 { 1 << 32 }
    @usableFromInline static var sharedMask: UInt64 { 0x3FFF << 32 }
    static var pendingBit: UInt64 { 1 << 46 }
    static var scheduledBit: UInt64 { 1 << 47 }
    static var gatedBit: UInt64 { 1 << 48 }
    static var inactiveBit: UInt64 { 1 << 49 }
    static var oneSuspension: UInt64 { 1 << 50 }
    static var suspensionMask: UInt64 { 0x3FFF << 50 }
    static var haltedMask: UInt64 { inactiveBit | suspensionMask }

    var owner: UInt32 { UInt32(truncatingIfNeeded: bits) }
    var isOwned: Bool { bits & Snapshot.ownerMask != 0 }
    var isPending: Bool { bits & Snapshot.pendingBit != 0 }
    var isScheduled: Bool { bits & Snapshot.scheduledBit != 0 }
    var isGated: Bool { bits & Snapshot.gatedBit != 0 }
    var isInactive: Bool { bits & Snapshot.inactiveBit != 0 }
    var isSuspended: Bool { bits & Snapshot.suspensionMask != 0 }
    var isHalted: Bool { bits & Snapshot.haltedMask != 0 }
    var shared: Int { Int((bits & Snapshot.sharedMask) >> 32) }
    var hasShared: Bool { bits & Snapshot.sharedMask != 0 }
    var isFull: Bool { bits & Snapshot.sharedMask == Snapshot.sharedMask }

    /// Describes the word to readers in other processes.
    static func describe() {
      OutsideTable.constant("queue state", "owner", ownerMask)
      OutsideTable.constant("queue state", "shared", sharedMask)
      OutsideTable.constant("queue state", "pending", pendingBit)
      OutsideTable.constant("queue state", "scheduled", scheduledBit)
      OutsideTable.constant("queue state", "gated", gatedBit)
      OutsideTable.constant("queue state", "inactive", inactiveBit)
      OutsideTable.constant("queue state", "suspended", suspensionMask)
    }

    /// The maximum value of each count.
    static var mostShared: Int { Int(sharedMask / oneShared) }
    static var mostSuspensions: Int { Int(suspensionMask / oneSuspension) }

    func with(_ mask: UInt64) -> Snapshot { Snapshot(bits | mask) }
    func without(_ mask: UInt64) -> Snapshot { Snapshot(bits & ~mask) }
    func owned(by thread: UInt32) -> Snapshot {
      Snapshot(bits & ~Snapshot.ownerMask | UInt64(thread))
    }
    var unowned: Snapshot { without(Snapshot.ownerMask) }
    var plusShared: Snapshot { Snapshot(bits + Snapshot.oneShared) }
    var minusShared: Snapshot { Snapshot(bits - Snapshot.oneShared) }
  }

  /// The current word. A hint: it may have changed since.
  @inline(__always)
  package var snapshot: Snapshot {
    // order: relaxed; a compare-and-swap makes every decision.
    Snapshot(word.load(ordering: .relaxed))
  }

  /// The word for an owner that is about to run an item alone. If the owner sees no share, it
  /// sees the effects of all items that ran on shares.
  @inline(__always)
  var ownersSnapshot: Snapshot {
    Snapshot(word.load(ordering: .acquiring))  // order: acquiring, QS1
  }

  /// The word, in the single order of QL2.
  var strictSnapshot: Snapshot {
    // order: sequentially consistent, QL2
    Snapshot(word.load(ordering: .sequentiallyConsistent))
  }

  // MARK: Fast paths

  /// Takes an idle queue for `thread` alone.
  @inlinable @inline(__always)
  borrowing func tryTake(_ thread: UInt32) -> Bool {
    word.compareExchange(
      expected: 0, desired: UInt64(thread),
      ordering: .acquiring  // order: acquiring, QS1
    ).exchanged
  }

  /// Gives up what `tryTake` took, if the word has not changed since.
  @inlinable @inline(__always)
  borrowing func tryGiveUp(_ thread: UInt32) -> Bool {
    word.compareExchange(
      expected: UInt64(thread), desired: 0,
      ordering: .releasing  // order: releasing, QS1
    ).exchanged
  }

  /// Takes a share if the word holds nothing but a count of shares with room for one more.
  @inlinable @inline(__always)
  borrowing func tryShare() -> Bool {
    var old = word.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while old & ~Snapshot.sharedMask == 0 && old != Snapshot.sharedMask {
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: old + Snapshot.oneShared,
        successOrdering: .acquiring,  // order: acquiring, QS1
        failureOrdering: .relaxed)
      if exchanged { return true }
      old = current
    }
    return false
  }

  /// Returns a share if the word holds nothing but the count of shares.
  @inlinable @inline(__always)
  borrowing func tryUnshare() -> Bool {
    var old = word.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while old & ~Snapshot.sharedMask == 0 {
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: old - Snapshot.oneShared,
        successOrdering: .releasing,  // order: releasing, QS1
        failureOrdering: .relaxed)
      if exchanged { return true }
      old = current
    }
    return false
  }

  // MARK: Transitions

  /// Replaces the word with the result of `decide`, or leaves it unchanged if the result is nil.
  /// Returns the old word and its replacement.
  @inline(__always)
  borrowing func transition(
    _ decide: (Snapshot) -> Snapshot?
  ) -> (old: Snapshot, new: Snapshot?) {
    var old = snapshot
    while true {
      guard let new = decide(old) else { return (old, nil) }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old.bits, desired: new.bits,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, QS1 and QS2
        failureOrdering: .relaxed)
      if exchanged { return (old, new) }
      old = Snapshot(current)
    }
  }
}

extension QueueState.Snapshot: CustomStringConvertible {
  @usableFromInline package var description: String {
    var words: [String] = []
    if isOwned { words.append("owner \(owner)") }
    if hasShared { words.append("shared \(shared)") }
    if isPending { words.append("pending") }
    if isScheduled { words.append("scheduled") }
    if isGated { words.append("gated") }
    if isInactive { words.append("inactive") }
    if isSuspended { words.append("suspended \(bits >> 50)") }
    return words.isEmpty ? "idle" : words.joined(separator: " · ")
  }
}
