// WaitNeed — who must go on before a wait can end, as its resource knows it.
//
// Only who *must*: not one of whom several could end the wait, and nobody whom
// the resource does not know. A need that named others would make reports false.

/// Who must go on before a wait can end.
///
/// SAFETY: `each` carries an address, which is compared and never followed.
@usableFromInline
package enum WaitNeed: @unchecked Sendable {
  /// Nobody in particular, or nobody who is known.
  case nobody
  /// The thread with this number.
  case thread(UInt32)
  /// Each thread whose stack says that it holds up the object.
  case each(of: UnsafeRawPointer, Test)

  /// How the thread with this stack holds up the object, an address to be
  /// compared, not followed. Called while the thread waits and cannot go on. Each
  /// item that is looked at costs one of the budget; with none left it holds
  /// nothing up.
  @usableFromInline package typealias Test =
    @Sendable (UnsafeRawPointer, ThreadStack, inout Int) -> WaitHold?

  /// Whether it names the same thread or the same object.
  func isSame(as other: WaitNeed) -> Bool {
    switch (self, other) {
    case (.nobody, .nobody): true
    case (.thread(let a), .thread(let b)): a == b
    case (.each(let a, _), .each(let b, _)): a == b
    default: false
    }
  }
}

/// What a search may still do.
struct SearchEffort {
  /// How many items may still be looked at.
  var items = WaitNeed.longestLook
  /// Whether a record was passed over because it was being written or read.
  var metHeldLock = false

  /// Attempts at a record's lock: longer than its holder needs that runs.
  static var looksAtALock: Int { 200 }
}

extension WaitNeed {
  /// Items looked at in one search, at most: a thread on which it looks cannot come
  /// back from its wait meanwhile, for some tenths of a millisecond at the worst.
  package static var longestLook: Int { 16_384 }
}

/// In which way a thread holds up what another waits for.
@usableFromInline
package struct WaitHold: Sendable {
  private enum Way { case owns, shares, works, holdsBack }

  private let way: Way
  /// What a third thread may do to end the wait; nil if the resource says it.
  let release: WaitRelease?

  package static var owns: WaitHold { WaitHold(way: .owns, release: nil) }
  package static var shares: WaitHold { WaitHold(way: .shares, release: nil) }
  package static var works: WaitHold { WaitHold(way: .works, release: nil) }
  package static var holdsBack: WaitHold { WaitHold(way: .holdsBack, release: nil) }

  /// The same, where a third thread may end the wait.
  package func released(by release: WaitRelease) -> WaitHold {
    WaitHold(way: way, release: release)
  }

  /// Whether the thread holds the very thing that the other one waits for.
  var isWhole: Bool { way == .owns || way == .shares }

  /// As it stands in a report, before the name of the thread.
  var words: String {
    switch way {
    case .owns: "held by"
    case .shares: "shared by"
    case .works: "whose work is run by"
    case .holdsBack: "whose work waits behind"
    }
  }
}
