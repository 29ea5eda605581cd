// AtomicWord — a word of the client's memory, seen as the standard library's atomic.
//
// The functions of this folder are Apple's old names for single operations of
// `Synchronization.Atomic`. The difference is where the word is: anywhere in memory, at an address
// that a pointer names, instead of in a value that can only be used atomically.
//
// Ordering    OA1  an operation `…Barrier` (sequentially consistent) → every later one: all
//                  threads agree on one order of them, and a thread that sees the second sees
//                  what came before the first. For the client's own data.
//             OA2  `OSMemoryBarrier` → `OSMemoryBarrier`, in the same way, for the loads and
//                  stores on both sides of each.
// Rejected    inline C functions: ThreadSanitizer would not see what they do. Acquiring and
//             releasing for the forms with a barrier: a store before one and a load after it
//             could then change places, which Apple's forms keep in order.

public import Synchronization

/// The same memory as an atomic. It must hold an aligned value while the atomic is in use.
@inlinable @inline(__always)
func atomicWord<Value: AtomicRepresentable>(
  _ value: UnsafeMutablePointer<Value>
) -> UnsafeMutablePointer<Atomic<Value>> {
  // SAFETY: an `Atomic` has the size, the alignment and the bits of its value, and is only an
  // address whose memory is accessed with atomic instructions.
  UnsafeMutableRawPointer(value).assumingMemoryBound(to: Atomic<Value>.self)
}
