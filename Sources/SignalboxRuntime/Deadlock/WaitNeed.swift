// WaitNeed — which threads must continue before a wait can end, as far as the resource knows.
//
// A need names only threads that *must* continue. If any one of several threads could end the wait,
// it names none of them. A need that named too many threads would cause false reports.

/// The threads that must continue before a wait can end.
///
/// SAFETY: `each` carries an address, which is compared and never followed.
@usableFromInline
package enum WaitNeed: @unchecked Sendable {
  /// No particular thread, or none that is known.
  case nobody
  /// The thread with this number.
  case thread(UInt32)
  /// Each thread whose stack shows that it holds up the object.
  case each(of: UnsafeRawPointer, Test)

  /// How the thread with this stack holds up the object, which is an address to compare
  /// and not to follow. Called while the thread waits and cannot continue. Each item that
  /// the test reads costs one unit of the budget. When the budget is used up, the test says that
  /// the thread holds nothing up.
  @usableFromInline package typealias Test =
    @Sendable (UnsafeRawPointer, ThreadStack, inout Int) -> WaitHold?
}

/// How a thread holds up what another one waits for.
@usableFromInline
package struct WaitHold: Sendable {
  package enum Way: Sendable { case owns, shares, works, holdsBack }

  package let way: Way
  /// What a third thread may do to end the wait; nil if the resource determines it.
  package let release: WaitRelease?

  package static var owns: WaitHold { WaitHold(way: .owns, release: nil) }
  package static var shares: WaitHold { WaitHold(way: .shares, release: nil) }
  package static var works: WaitHold { WaitHold(way: .works, release: nil) }
  package static var holdsBack: WaitHold { WaitHold(way: .holdsBack, release: nil) }

  /// The same hold, with what a third thread may do to end the wait.
  package func released(by release: WaitRelease) -> WaitHold {
    WaitHold(way: way, release: release)
  }
}
