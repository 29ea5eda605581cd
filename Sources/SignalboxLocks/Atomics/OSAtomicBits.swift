// OSAtomicBits — single bits of memory, counted from the highest bit of the first byte.
//
// Rejected    an operation on the whole word that contains the bit: the word may reach beyond the
//             memory that the client passes, into memory with another use.

public import Synchronization

/// Sets a bit of memory atomically.
///
/// Bits are numbered from the left: bit `n` is `0x80 >> (n & 7)` of the byte at the offset
/// `n >> 3`.
///
/// ```swift
/// var byte: UInt8 = 0
/// OSAtomicTestAndSet(1, &byte)  // false; byte is 0x40
/// ```
///
/// Any thread may call it. It touches only the byte of the bit. It does not order other memory;
/// the form with a barrier does. New code uses `Synchronization.Atomic`.
///
/// Source: Apple's manual page atomic(3).
///
/// - Parameters:
///   - n: the bit's number.
///   - theAddress: the address of the byte with bit 0, of any alignment.
/// - Returns: whether the bit was set before.
@discardableResult
@inlinable
public func OSAtomicTestAndSet(_ n: UInt32, _ theAddress: UnsafeMutableRawPointer) -> Bool {
  // order: relaxed; this form promises none.
  bitByte(n, theAddress).pointee.bitwiseOr(bitMask(n), ordering: .relaxed).oldValue & bitMask(n)
    != 0
}

/// Does the same as ``OSAtomicTestAndSet(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicTestAndSetBarrier(
  _ n: UInt32, _ theAddress: UnsafeMutableRawPointer
) -> Bool {
  bitByte(n, theAddress).pointee.bitwiseOr(
    bitMask(n), ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).oldValue & bitMask(n) != 0
}

/// Clears a bit of memory atomically.
///
/// Bits are numbered as for ``OSAtomicTestAndSet(_:_:)``; see there for everything
/// else.
///
/// - Parameters:
///   - n: the bit's number.
///   - theAddress: the address of the byte with bit 0, of any alignment.
/// - Returns: whether the bit was set before.
@discardableResult
@inlinable
public func OSAtomicTestAndClear(_ n: UInt32, _ theAddress: UnsafeMutableRawPointer) -> Bool {
  // order: relaxed; this form promises none.
  bitByte(n, theAddress).pointee.bitwiseAnd(~bitMask(n), ordering: .relaxed).oldValue & bitMask(n)
    != 0
}

/// Does the same as ``OSAtomicTestAndClear(_:_:)`` and is a memory barrier.
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

/// The byte that holds the bit.
@inlinable @inline(__always)
func bitByte(
  _ n: UInt32, _ address: UnsafeMutableRawPointer
) -> UnsafeMutablePointer<Atomic<UInt8>> {
  // SAFETY: the client's memory contains bit `n`; a byte needs no alignment.
  atomicWord((address + Int(n >> 3)).assumingMemoryBound(to: UInt8.self))
}
