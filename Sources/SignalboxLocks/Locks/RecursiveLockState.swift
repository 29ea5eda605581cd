// RecursiveLockState — a lock that its holder may acquire again: who holds it, and how many
// times.
//
// Touching    `state`: any thread, atomically.
// Ordering    `depth` passes from holder to holder with the lock: LS1.
// Invariants  I1  a free lock's `depth` is 0.

package import SignalboxRuntime

package struct RecursiveLockState: ~Copyable {
  private let state = LockState()
  /// How many times the holder has acquired the lock beyond the first time. Read and written by the
  /// holder.
  package let depth = SingleWriter<UInt32>(0)

  package init() {}

  /// Acquires the lock for `thread` if it is free or held by that thread.
  ///
  /// - Returns: whether it acquired the lock; also `false` if `depth` has reached its maximum.
  @inline(__always)
  package borrowing func take(_ thread: UInt32) -> Bool {
    guard state.owner == thread else { return state.take(thread) }
    let old = depth.load()
    if old == UInt32.max { return false }
    depth.store(old + 1)
    return true
  }

  /// Acquires the lock after `take` has failed.
  package borrowing func takeSlow(
    _ thread: UInt32, until deadline: Deadline = .never, on resource: WaitResource
  ) -> Bool {
    state.takeSlow(thread, until: deadline, on: resource)
  }

  /// Releases the lock, which the calling thread holds, once.
  @inline(__always)
  package borrowing func leave(_ thread: UInt32) {
    let old = depth.load()
    if old > 0 {
      depth.store(old - 1)
    } else {
      let word = state.leave()
      if word != thread { state.endLeaving(word) }
    }
  }

  /// What a reader in another process sees of the lock.
  package func view(_ title: StaticString, _ label: OutsideView.Label) -> OutsideView {
    state.view(title, label)
  }

  /// The thread that holds the lock; 0 if none does.
  package var owner: UInt32 { state.owner }
}
