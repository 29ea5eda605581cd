// OSMemoryBarrier — keeps what comes before it before what comes after it.

public import Synchronization

/// Keeps this thread's loads and stores before it before those after it, for all threads
/// that do the same.
///
/// ```swift
/// // One thread                        // the other
/// OSAtomicAdd32(1, wantsA)             OSAtomicAdd32(1, wantsB)
/// OSMemoryBarrier()                    OSMemoryBarrier()
/// if OSAtomicAdd32(0, wantsB) == 0 {   if OSAtomicAdd32(0, wantsA) == 0 {
///   // only one of them gets here
/// ```
///
/// A processor may put a store off until after a load that follows it; this is what keeps
/// it from doing so, and both threads need it: `make litmus` shows what happens without.
///
/// A barrier orders memory, and makes no access atomic: what two threads touch at once must
/// still be accessed by the functions of this family, by `Synchronization.Atomic`, or under
/// a lock; and a lock needs no barrier beside it. ThreadSanitizer does not see barriers that
/// stand alone, and reports what only they keep in order. Both are reasons to use an atomic
/// with its own ordering, which is what `Synchronization.Atomic` is for.
///
/// Any thread. Some tens of cycles.
///
/// Source: Apple's manual page barrier(3).
@inlinable
public func OSMemoryBarrier() {
  atomicMemoryFence(ordering: .sequentiallyConsistent)  // order: sequentially consistent, OA2
}
