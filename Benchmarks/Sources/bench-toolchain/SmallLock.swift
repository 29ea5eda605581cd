// The smallest lock: the toolchain's.

import Synchronization

final class SmallLock: Sendable {
  private let mutex = Mutex(())

  @inline(__always) func within(_ body: () -> Void) { mutex.withLock { _ in body() } }
}
