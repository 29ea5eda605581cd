// WaitNeed — which threads must continue before a wait can end, as its resource knows.
//
// Only threads that *must* continue: none of several that could each end the wait, and none
// that the resource does not know. A need that named more would cause false reports.

/// The threads that must continue before a wait can end.
///
/// SAFETY: `each` carries an address, which is compared and never followed.
@usableFromInline
package enum WaitNeed: @unchecked Sendable {
  /// No particular thread, or none that is known.
  case nobody
  /// The thread with this number.
  case thread(UInt32)
  /// Each thread whose stack says that it holds up the object.
  case each(of: UnsafeRawPointer, Test)

  /// How the thread with this stack holds up the object, which is an address to compare
  /// and not to follow. Called while the thread waits and cannot continue. Each item that
  /// the test reads costs one of the budget. With none left, the thread holds nothing up.
  @usableFromInline package typealias Test =
    @Sendable (UnsafeRawPointer, ThreadStack, inout Int) -> WaitHold?

  /// Whether both name the same thread or the same object.
  func isSame(as other: WaitNeed) -> Bool {
    switch (self, other) {
    case (.nobody, .nobody): true
    case (.thread(let a), .thread(let b)): a == b
    case (.each(let a, _), .each(let b, _)): a == b
    default: false
    }
  }
}

/// The remaining budget of a search.
struct SearchEffort {
  /// How many items the search may still read.
  var items = WaitNeed.longestLook
  /// Whether the search skipped a record because another thread was using it.
  var metHeldLock = false

  /// Attempts at a record's lock: enough for a running holder to release it.
  static var looksAtALock: Int { 200 }
}

extension WaitNeed {
  /// The most items that one search reads. A thread whose items are read cannot return
  /// from its wait in the meantime: at worst for some tenths of a millisecond.
  package static var longestLook: Int { 16_384 }
}

/// How a thread holds up what another one waits for.
@usableFromInline
package struct WaitHold: Sendable {
  private enum Way { case owns, shares, works, holdsBack }

  private let way: Way
  /// What a third thread may do to end the wait; nil if the resource determines it.
  let release: WaitRelease?

  package static var owns: WaitHold { WaitHold(way: .owns, release: nil) }
  package static var shares: WaitHold { WaitHold(way: .shares, release: nil) }
  package static var works: WaitHold { WaitHold(way: .works, release: nil) }
  package static var holdsBack: WaitHold { WaitHold(way: .holdsBack, release: nil) }

  /// The same hold, with what a third thread may do to end the wait.
  package func released(by release: WaitRelease) -> WaitHold {
    WaitHold(way: way, release: release)
  }

  /// Whether the thread holds the awaited resource itself.
  var isWhole: Bool { way == .owns || way == .shares }

  /// The words of a report before the name of the thread.
  var words: String {
    switch way {
    case .owns: "held by"
    case .shares: "shared by"
    case .works: "whose work is run by"
    case .holdsBack: "whose work waits behind"
    }
  }
}
