// TargetPlace — the queue on which a source runs, which may be replaced at any time.
//
// Touching    `current`: any thread, atomically. `replaced`: under `lock`.
// Ordering    TP1  who sets a target (releasing) → who reads it (acquiring).
// Invariants  I1  every queue that was ever the target is kept until the place is gone:
//                 a reader needs no reference of its own.

import SignalboxRuntime
import Synchronization

struct TargetPlace: ~Copyable, @unchecked Sendable {  // SAFETY: see Touching.
  // SAFETY: retained, until it is replaced or the place is gone.
  private let current: Atomic<UnsafeMutableRawPointer>
  private let lock = EngineLock()
  private let replaced: UnsafeMutablePointer<[DispatchQueue]>

  init(_ queue: DispatchQueue) {
    // SAFETY: released by `deinit` or moved to `replaced`.
    current = Atomic(Unmanaged.passRetained(queue).toOpaque())
    replaced = .allocate(capacity: 1)
    replaced.initialize(to: [])
  }

  var queue: DispatchQueue {
    // order: acquiring, TP1
    let raw = current.load(ordering: .acquiring)
    // SAFETY: every target is kept as long as the place (I1).
    return Unmanaged<DispatchQueue>.fromOpaque(raw).takeUnretainedValue()
  }

  borrowing func replace(by queue: DispatchQueue) {
    // SAFETY: as in `init`.
    let new = Unmanaged.passRetained(queue).toOpaque()
    // order: acquiring and releasing, TP1
    let old = current.exchange(new, ordering: .acquiringAndReleasing)
    // SAFETY: the reference goes into the list.
    let former = Unmanaged<DispatchQueue>.fromOpaque(old).takeRetainedValue()
    lock.withLock { replaced.pointee.append(former) }
  }

  deinit {
    // order: acquiring, TP1
    let raw = current.load(ordering: .acquiring)
    Unmanaged<DispatchQueue>.fromOpaque(raw).release()  // SAFETY: as in `init`.
    replaced.deinitialize(count: 1)
    replaced.deallocate()
  }
}
