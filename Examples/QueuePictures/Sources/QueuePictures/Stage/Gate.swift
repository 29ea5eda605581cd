// Gate — lets everybody through once it has been opened.

import SignalboxDispatch

/// Who waits here blocks its thread: the pool has another worker take its place, so that as many
/// items as a scene shows are under way on a machine of any width.
final class Gate: Sendable {
  private let group = DispatchGroup()

  init() { group.enter() }

  /// Once.
  func open() { group.leave() }

  func wait() { group.wait() }
}
