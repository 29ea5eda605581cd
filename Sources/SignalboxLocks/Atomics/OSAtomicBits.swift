// OSAtomicBits — single bits of memory, counted from the highest of the first byte.
//
// Rejected    the whole word that the bit is in: it may reach beyond the memory that the
//             client gave, and into what it uses otherwise.

public import Synchronization

/// Sets a bit of memory, in one step.
///
/// Bits are numbered from the left: bit `n` is `0x80 >> (n & 7)` of the byte `n >> 3`
/// behind the address.
///
/// ```swift
/// var byte: UInt8 = 0
/// OSAtomicTestAndSet(1, &byte)  // false; byte is 0x40
/// ```
///
/// Any thread. No byte but that of the bit is touched. Nothing is promised about other
/// memory; the form with a barrier does. New code has `Synchronization.Atomic`.
///
/// Source: Apple's manual page atomic(3).
///
/// - Parameters:
///   - n: the bit's number.
///   - theAddress: where bit 0 is in; any alignment.
/// - Returns: whether the bit was set before.
@discardableResult
@inlinable
public func OSAtomicTestAndSet(_ n: UInt32, _ theAddress: UnsafeMutableRawPointer) -> Bool {
  // order: relaxed; this form promises none.
  bitByte(n, theAddress).pointee.bitwiseOr(bitMask(n), ordering: .relaxed).oldValue & bitMask(n)
    != 0
}

/// As ``OSAtomicTestAndSet(_:_:)``, and a memory barrier.
@discardableResult
@inlinable
public func OSAtomicTestAndSetBarrier(
  _ n: UInt32, _ theAddress: UnsafeMutableRawPointer
) -> Bool {
  bitByte(n, theAddress).pointee.bitwiseOr(
    bitMask(n), ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).oldValue & bitMask(n) != 0
}

/// Clears a bit of memory, in one step.
///
/// Bits are numbered as for ``OSAtomicTestAndSet(_:_:)``, where the rest is said too.
///
/// - Parameters:
///   - n: the bit's number.
///   - theAddress: where bit 0 is in; any alignment.
/// - Returns: whether the bit was set before.
@discardableResult
@inlinable
public func OSAtomicTestAndClear(_ n: UInt32, _ theAddress: UnsafeMutableRawPointer) -> Bool {
  // order: relaxed; this form promises none.
  bitByte(n, theAddress).pointee.bitwiseAnd(~bitMask(n), ordering: .relaxed).oldValue & bitMask(n)
    != 0
}

/// As ``OSAtomicTestAndClear(_:_:)``, and a memory barrier.
@discardableResult
@inlinable
public func OSAtomicTestAndClearBarrier(
  _ n: UInt32, _ theAddress: UnsafeMutableRawPointer
) -> Bool {
  bitByte(n, theAddress).pointee.bitwiseAnd(
    ~bitMask(n), ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).oldValue & bitMask(n) != 0
}

@inlinable @inline(__always)
func bitMask(_ n: UInt32) -> UInt8 { 0x80 >> UInt8(n & 7) }

/// The byte that the bit is in.
@inlinable @inline(__always)
func bitByte(
  _ n: UInt32, _ address: UnsafeMutableRawPointer
) -> UnsafeMutablePointer<Atomic<UInt8>> {
  // SAFETY: the client has bits up to the n-th there; a byte needs no alignment.
  atomicWord((address + Int(n >> 3)).assumingMemoryBound(to: UInt8.self))
}
