// OSMemoryBarrier — a full memory barrier: no memory access moves across it.

public import Synchronization

/// Keeps this thread's loads and stores on their side of the call, as seen by all threads that also
/// use a barrier.
///
/// ```swift
/// // One thread                        // the other
/// OSAtomicAdd32(1, wantsA)             OSAtomicAdd32(1, wantsB)
/// OSMemoryBarrier()                    OSMemoryBarrier()
/// if OSAtomicAdd32(0, wantsB) == 0 {   if OSAtomicAdd32(0, wantsA) == 0 {
///   // only one of them gets here
/// ```
///
/// A processor may delay a store until after a later load. A barrier prevents that, and both
/// threads need one: `make litmus` shows what happens without it.
///
/// A barrier orders memory but makes no access atomic. Memory that two threads touch at once must
/// still be accessed by the functions of this family, by `Synchronization.Atomic`, or under a
/// lock; and a lock needs no barrier. ThreadSanitizer does not see standalone barriers, and
/// reports accesses that only they order. For both reasons, prefer an atomic with its own
/// ordering, which `Synchronization.Atomic` provides.
///
/// Any thread may call it. It costs a few tens of cycles.
///
/// Source: Apple's manual page barrier(3).
@inlinable
public func OSMemoryBarrier() {
  atomicMemoryFence(ordering: .sequentiallyConsistent)  // order: sequentially consistent, OA2
}
