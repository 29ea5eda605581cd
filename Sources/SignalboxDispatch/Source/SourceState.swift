// SourceState — the word with the pending steps of a source and the reasons that delay them.
//
// States      the bits below. A source is *halted* while it is inactive or suspended. It *wants*
//             to run if it is not halted and not being installed or uninstalled, and one of these
//             holds: it has an event; it is cancelled; its run must install it; it is installed
//             and must call its registration handler.
// Touching    any thread, atomically.
// Ordering    SS1  each change releases and acquires: a thread that changes the word sees what
//                  was written before the previous change.
// Invariants  I1  `enqueued` ⇔ the source's item is in its target queue or runs, or the thread
//                 that set the bit is about to submit it.
//             I2  the source wants to run ⇒ `enqueued`, or the thread whose change made it want to
//                 run is about to check that.
//             I3  one thread sets `changing`, installs or uninstalls, and clears it.
//             I4  `running` is set by a run only, and cleared at its end. A thread sets `awaited`
//                 only while `running` or `changing` is set, or a cancel handler is due; the thread
//                 that ends that step clears it and wakes all waiters.

import SignalboxRuntime
import Synchronization

struct SourceState: ~Copyable {
  private let word: Atomic<UInt64>

  struct Snapshot: Equatable {
    let bits: UInt64
    func has(_ bit: UInt64) -> Bool { bits & bit != 0 }

    /// The word with `bits`, and also `enqueued` if the source then wants to run.
    func setting(_ more: UInt64) -> UInt64 {
      let new = Snapshot(bits: bits | more)
      return new.wants ? new.bits | Bit.enqueued : new.bits
    }

    /// Whether it was activated, and nothing is pending or under way.
    var isAtRest: Bool { !has(Bit.enqueued | Bit.inactive | Bit.changing) }
    var suspensions: UInt64 { bits >> Bit.suspensionShift }
    var isHalted: Bool { has(Bit.inactive) || suspensions > 0 }
    /// Whether releasing the last reference would be a misuse.
    var mustNotBeReleased: Bool { isHalted || has(Bit.mustCancel) && !has(Bit.cancelled) }
    var wants: Bool {
      if isHalted || has(Bit.changing) { return false }
      if has(Bit.cancelled) { return !has(Bit.ended) }
      return has(Bit.event | Bit.awaitingRun) || tellsRegistration
    }
    /// Whether the registration handler is due.
    var tellsRegistration: Bool { has(Bit.registration) && has(Bit.installed) }
  }

  enum Bit {
    static let enqueued: UInt64 = 1
    /// An event is pending for the handler.
    static let event: UInt64 = 2
    /// A registration handler was set and has not been called.
    static let registration: UInt64 = 4
    static let inactive: UInt64 = 8
    /// The source is being installed or uninstalled.
    static let changing: UInt64 = 16
    static let installed: UInt64 = 32
    static let cancelled: UInt64 = 64
    /// The source has ended: it never wants to run again.
    static let ended: UInt64 = 128
    /// The source is active, and its next run must install it.
    static let awaitingRun: UInt64 = 256
    /// A cancel handler was set at some time.
    static let hasEnd: UInt64 = 512
    /// The source object is kept until the cancel handler has returned. The thread that sets
    /// `ended` while this bit is set then releases the object. Never set after `ended`.
    static let keepsSourceObject: UInt64 = 1024
    /// A thread runs the source on its target queue, and may be in a handler.
    static let running: UInt64 = 2048
    /// A thread waits for the end of the step that `running` or `changing` indicates. The thread
    /// that ends it clears the bit and wakes the waiter.
    static let awaited: UInt64 = 4096
    /// The run that has set `running` releases the source object when it ends.
    static let releasesSourceObject: UInt64 = 8192
    /// The program promised to cancel the source before it releases it.
    static let mustCancel: UInt64 = 16384
    static let suspensionShift: UInt64 = 32
    static let suspension: UInt64 = 1 << suspensionShift
    static let mostSuspensions: UInt64 = 1 << 31
  }

  init() { word = Atomic(Bit.inactive) }

  /// A hint. A thread that acts on it changes the word before it touches what others wrote.
  var snapshot: Snapshot {
    Snapshot(bits: word.load(ordering: .relaxed))  // order: relaxed; may be out of date.
  }

  /// Replaces the word with the result of `decide`, or leaves it unchanged if the result is nil.
  ///
  /// - Returns: the word before and after; nil if it is unchanged.
  @discardableResult
  borrowing func change(
    _ decide: (Snapshot) -> UInt64?
  ) -> (before: Snapshot, after: Snapshot)? {
    var old = word.load(ordering: .relaxed)  // order: relaxed; the compare-and-swap decides.
    while true {
      guard let new = decide(Snapshot(bits: old)) else { return nil }
      let (exchanged, current) = word.weakCompareExchange(
        expected: old, desired: new,
        successOrdering: .acquiringAndReleasing,  // order: acquiring and releasing, SS1
        failureOrdering: .relaxed)
      if exchanged { return (Snapshot(bits: old), Snapshot(bits: new)) }
      old = current
    }
  }

  /// Begins a step of a run, and clears `bits`. From then on, the word says that the source runs.
  ///
  /// - Returns: whether the step may begin; not if the source was cancelled.
  borrowing func begin(clearing bits: UInt64) -> Bool {
    change { $0.has(Bit.cancelled) ? nil : $0.bits & ~bits | Bit.running } != nil
  }

  /// The same as `change`, for the end of a step: also wakes the threads that wait for that end.
  @discardableResult
  borrowing func finish(
    _ decide: (Snapshot) -> UInt64?
  ) -> (before: Snapshot, after: Snapshot)? {
    let changed = change { old in decide(old).map { $0 & ~Bit.awaited } }
    if let changed, changed.before.has(Bit.awaited) { wakeWaiters() }
    return changed
  }

  /// Sets `bits`, and also `enqueued` if the source then wants to run.
  ///
  /// - Returns: whether the caller must push the source's item.
  borrowing func enqueue(setting bits: UInt64 = 0) -> Bool {
    let changed = change { old in
      let new = old.setting(bits)
      return new == old.bits ? nil : new
    }
    guard let changed else { return false }
    return SourceState.hasEnqueued(changed)
  }

  /// The same for an event, but writes the word in any case: so either a run that clears the bit
  /// later sees what this thread did before, or another run follows.
  borrowing func enqueueForEvent() -> Bool {
    SourceState.hasEnqueued(change { $0.setting(Bit.event) }!)
  }

  /// Whether the thread that made this change must submit the source's item.
  static func hasEnqueued(_ changed: (before: Snapshot, after: Snapshot)) -> Bool {
    !changed.before.has(Bit.enqueued) && changed.after.has(Bit.enqueued)
  }

  /// Sets `bits` unless the source is cancelled, and also `enqueued` if it then wants to run. It
  /// writes the word in any case: so either a thread that changes the word later sees what this
  /// thread did before, or this thread sees that change.
  borrowing func request(_ bits: UInt64) -> (before: Snapshot, after: Snapshot) {
    change { $0.has(Bit.cancelled) ? $0.bits : $0.setting(bits) }!
  }

  /// Records that the source has an event handler now. It writes the word in any case: so either
  /// a run that found no handler is followed by another run, or all later runs find the handler.
  ///
  /// - Returns: whether the caller must submit the source's item.
  borrowing func enqueueForHandler() -> Bool {
    let changed = change {
      $0.has(Bit.inactive | Bit.cancelled) ? $0.bits : $0.setting(Bit.event)
    }!
    return SourceState.hasEnqueued(changed)
  }

  /// Records that the item has run. If `enqueued` is still set, it must be submitted again; if
  /// `releasesSourceObject` was set, the source object must be released.
  borrowing func hasRun() -> (before: Snapshot, after: Snapshot) {
    finish { old in
      let kept = old.bits & ~(Bit.running | Bit.releasesSourceObject)
      return old.wants ? kept : kept & ~Bit.enqueued
    }!
  }

  // MARK: Waiting for the end

  /// Ends a cancelled source. If a step is under way or a cancel handler may be called, records in
  /// the word that this thread waits.
  ///
  /// - Returns: the word before, and the half of the word on which the thread must sleep; the half
  ///   is nil if the source has ended.
  borrowing func endOrAwait() -> (before: Snapshot, half: UInt32?) {
    var waits = false
    let changed = change { old in
      waits =
        old.has(Bit.running | Bit.changing) || old.has(Bit.hasEnd) && !old.has(Bit.ended)
      return old.bits | (waits ? Bit.awaited : Bit.ended)
    }!
    return (changed.before, waits ? UInt32(truncatingIfNeeded: changed.after.bits) : nil)
  }

  @inline(never)
  private borrowing func wakeWaiters() { Parking.wake(halfAddress, count: .max) }

  /// The address of the half of the word that holds all bits except the suspensions.
  var halfAddress: UnsafeRawPointer {
    // SAFETY: an atomic does not move, as for `wordAddress`.
    withUnsafePointer(to: word) {
      #if _endian(little)
        UnsafeRawPointer($0)
      #else
        UnsafeRawPointer($0) + 4
      #endif
    }
  }
}
