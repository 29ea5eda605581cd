// AtomicWord — a word of the client's memory, as the standard library's atomic sees it.
//
// The functions of this folder are Apple's old names for single operations of
// `Synchronization.Atomic`. What differs is where the word lives: anywhere, named by a
// pointer, rather than in a value that can be nothing but atomic.
//
// Ordering    OA1  an operation `…Barrier` (sequentially consistent) → every later one:
//                  they have one order that all threads agree on, and what came before
//                  the first is seen after the second. For the client's own data.
//             OA2  `OSMemoryBarrier` → `OSMemoryBarrier`, in the same way, for the loads
//                  and stores on both sides of each.
// Rejected    inline C functions: ThreadSanitizer would not see what they do.
//             Acquiring and releasing for the forms with a barrier: a store before one
//             and a load after it could then change places, which Apple's keep apart.

public import Synchronization

/// The same memory as an atomic. It must hold an aligned value as long as it is used.
@inlinable @inline(__always)
func atomicWord<Value: AtomicRepresentable>(
  _ value: UnsafeMutablePointer<Value>
) -> UnsafeMutablePointer<Atomic<Value>> {
  // SAFETY: an `Atomic` has the size, the alignment and the bits of its value, and is
  // nothing but an address whose memory is accessed by atomic instructions only.
  UnsafeMutableRawPointer(value).assumingMemoryBound(to: Atomic<Value>.self)
}
