// TargetReference — the queue on which a source runs. It may be replaced at any time.
//
// Touching    `current`: any thread, atomically.
// Ordering    TP1  a thread that sets a target (releasing) → a thread that reads it (acquiring).
// Invariants  I1  every queue that was ever the target is kept until this object is freed. So a
//                 reader needs no reference of its own.

import SignalboxRuntime
import Synchronization

struct TargetReference: ~Copyable, @unchecked Sendable {  // SAFETY: see Touching.
  // SAFETY: retained until it is replaced or this object is gone.
  private let current: Atomic<UnsafeMutableRawPointer>
  private let lock = EngineLock()
  /// The handlers of a source run one at a time: see `QueueHead.widthForC`.
  private let widthForC: UInt16 = 1
  /// The list of replaced targets. Read and written under `lock`, or when the last reference is
  /// gone.
  private let replaced = SingleWriter<UnsafeMutableRawPointer?>(nil)

  private final class Replaced {
    let queue: Unmanaged<DispatchQueue>
    let next: UnsafeMutableRawPointer?
    init(_ queue: Unmanaged<DispatchQueue>, _ next: UnsafeMutableRawPointer?) {
      self.queue = queue
      self.next = next
    }
  }

  /// Uses a global queue if `queue` is nil.
  @inline(__always)
  init(_ queue: borrowing DispatchQueue?) {
    let queue = copy queue ?? .global()
    // SAFETY: released by `deinit` or moved to `replaced`.
    current = Atomic(Unmanaged.passRetained(queue).toOpaque())
  }

  var queue: DispatchQueue {
    // order: acquiring, TP1
    let raw = current.load(ordering: .acquiring)
    // SAFETY: every target lives as long as this object (I1).
    return Unmanaged<DispatchQueue>.fromOpaque(raw).takeUnretainedValue()
  }

  borrowing func replace(by queue: DispatchQueue) {
    lock.lock()
    // order: relaxed; under the lock.
    let raw = current.load(ordering: .relaxed)
    // SAFETY: the reference moves into the list.
    let queueOfOld = Unmanaged<DispatchQueue>.fromOpaque(raw)
    let former = Replaced(queueOfOld, replaced.load())
    // SAFETY: released by `deinit`.
    let list = Unmanaged.passRetained(former).toOpaque()
    replaced.store(list)
    // SAFETY: released by `deinit` or moved to `replaced`.
    let new = Unmanaged.passRetained(queue).toOpaque()
    current.store(new, ordering: .releasing)  // order: releasing, TP1
    lock.unlock()
  }

  deinit {
    // order: relaxed; the last reference is gone.
    let raw = current.load(ordering: .relaxed)
    Unmanaged<DispatchQueue>.fromOpaque(raw).release()  // SAFETY: retained by `init` or `replace`.
    var next = replaced.load()
    while let raw = next {
      // SAFETY: retained by `replace`.
      let former = Unmanaged<Replaced>.fromOpaque(raw).takeRetainedValue()
      former.queue.release()  // SAFETY: the list's reference.
      next = former.next
    }
  }
}
