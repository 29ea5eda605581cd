// SourceState — the word in which a source keeps what is to be done, and what keeps it
// from that.
//
// States      the bits below. A source is *halted* while it is inactive or suspended.
//             It *wants* to be run if it is neither halted nor in the middle of being
//             installed or uninstalled, and has an event, a cancellation, is to be
//             installed by its run, or is installed and has that to tell.
// Touching    any thread, atomically.
// Ordering    SS1  each change releases and acquires: who changes the word sees what was
//                  written before it was changed last.
// Invariants  I1  `enqueued` ⇔ the source's item stands on its target queue, or runs,
//                 or whoever set the bit is about to push it.
//             I2  wanted ⇒ enqueued, or whoever made it wanted is about to look.
//             I3  `changing` is set by one thread, which installs or uninstalls, and
//                 cleared by it.

import Synchronization

struct SourceState: ~Copyable {
  private let word: Atomic<UInt64>

  struct Snapshot: Equatable {
    let bits: UInt64
    func has(_ bit: UInt64) -> Bool { bits & bit != 0 }

    /// With `bits`, and `enqueued` with them if the source then wants to be run.
    func setting(_ more: UInt64) -> UInt64 {
      let new = Snapshot(bits: bits | more)
      return new.wants ? new.bits | Bit.enqueued : new.bits
    }

    /// Whether nothing of it is to run or under way, and it was activated.
    var isAtRest: Bool { !has(Bit.enqueued | Bit.inactive | Bit.changing) }
    var suspensions: UInt64 { bits >> Bit.suspensionShift }
    var isHalted: Bool { has(Bit.inactive) || suspensions > 0 }
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
    /// Something has happened that the handler is to be told.
    static let event: UInt64 = 2
    /// A registration handler was set, and not yet called.
    static let registration: UInt64 = 4
    static let inactive: UInt64 = 8
    /// It is being installed or uninstalled.
    static let changing: UInt64 = 16
    static let installed: UInt64 = 32
    static let cancelled: UInt64 = 64
    /// The cancel handler was called.
    static let ended: UInt64 = 128
    /// It is active, and its next run is to install it.
    static let awaitingRun: UInt64 = 256
    /// A cancel handler was set at some time.
    static let hasEnd: UInt64 = 512
    /// Its face is kept until the cancel handler has returned; whoever sets `ended` beside
    /// it lets the face go then. Never set after `ended`.
    static let keepsFace: UInt64 = 1024
    static let suspensionShift: UInt64 = 32
    static let suspension: UInt64 = 1 << suspensionShift
    static let mostSuspensions: UInt64 = 1 << 31
  }

  init() { word = Atomic(Bit.inactive) }

  /// Who acts upon it changes the word, before it touches what others wrote.
  var snapshot: Snapshot {
    Snapshot(bits: word.load(ordering: .relaxed))  // order: relaxed; see above.
  }

  /// Replaces the word by what `decide` makes of it; nothing, if that is nil.
  ///
  /// - Returns: the word before and after; nil if it was left alone.
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

  borrowing func clear(_ bits: UInt64) { change { $0.bits & ~bits } }

  /// Sets `bits`, and `enqueued` with them if the source then wants to be run.
  ///
  /// - Returns: whether the caller must push its item.
  borrowing func enqueue(setting bits: UInt64 = 0) -> Bool {
    let changed = change { old in
      let new = old.setting(bits)
      return new == old.bits ? nil : new
    }
    guard let changed else { return false }
    return SourceState.hasEnqueued(changed)
  }

  /// Whether who changed the word so must push the source's item.
  static func hasEnqueued(_ changed: (before: Snapshot, after: Snapshot)) -> Bool {
    !changed.before.has(Bit.enqueued) && changed.after.has(Bit.enqueued)
  }

  /// Sets `bits` unless it is cancelled, and `enqueued` with them if the source then wants
  /// to be run. This writes the word in any case: either who changes it from now on sees
  /// what this thread did before, or this thread finds what was changed.
  borrowing func request(_ bits: UInt64) -> (before: Snapshot, after: Snapshot) {
    change { $0.has(Bit.cancelled) ? $0.bits : $0.setting(bits) }!
  }

  /// Where there was no event handler, there is one now. This writes the word in any case:
  /// either a run that looked for the handler before is followed by one that finds it, or
  /// all runs to come find it.
  ///
  /// - Returns: whether the caller must push its item.
  borrowing func enqueueForHandler() -> Bool {
    let changed = change {
      $0.has(Bit.inactive | Bit.cancelled) ? $0.bits : $0.setting(Bit.event)
    }!
    return SourceState.hasEnqueued(changed)
  }

  /// The item has run.
  ///
  /// - Returns: whether it is to be pushed once more.
  borrowing func hasRun() -> Bool {
    let changed = change { $0.wants ? $0.bits : $0.bits & ~Bit.enqueued }
    return changed!.after.has(Bit.enqueued)
  }
}
