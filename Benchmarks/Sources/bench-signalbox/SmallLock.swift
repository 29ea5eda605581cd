// The smallest lock: ours.

import SignalboxLocks

final class SmallLock: Sendable {
  private let lock = UnfairLock()

  @inline(__always) func within(_ body: () -> Void) { lock.withLock(body) }
}
