// OSAtomicLogic — sets, keeps or inverts bits of a 32-bit word atomically.
//
// Each function has four forms: it returns the new or the old word, without or with a barrier.

public import Synchronization

// MARK: Or

/// Sets the bits of a mask in a word atomically.
///
/// ```swift
/// var bits: UInt32 = 0b0011
/// OSAtomicOr32(0b0110, &bits)  // 7; bits is 0b0111
/// ```
///
/// Any thread may call it. It does not order other memory; the form with a barrier does. The
/// result is signed, as Apple's is, and has the same bits. New code uses
/// `Synchronization.Atomic`.
///
/// Source: Apple's manual page atomic(3).
///
/// - Parameters:
///   - theMask: the mask.
///   - theValue: the address of the word, aligned.
/// - Returns: the new word.
@discardableResult
@inlinable
public func OSAtomicOr32(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseOr(theMask, ordering: .relaxed).newValue)
}

/// Does the same as ``OSAtomicOr32(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicOr32Barrier(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  Int32(
    bitPattern: atomicWord(theValue).pointee.bitwiseOr(
      theMask, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
    ).newValue)
}

/// Does the same as ``OSAtomicOr32(_:_:)`` but returns the old word.
@discardableResult
@inlinable
public func OSAtomicOr32Orig(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseOr(theMask, ordering: .relaxed).oldValue)
}

/// Does the same as ``OSAtomicOr32Orig(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicOr32OrigBarrier(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  Int32(
    bitPattern: atomicWord(theValue).pointee.bitwiseOr(
      theMask, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
    ).oldValue)
}

// MARK: And

/// Clears the bits of a word that are not in a mask, atomically.
///
/// ```swift
/// var bits: UInt32 = 0b0011
/// OSAtomicAnd32(0b0110, &bits)  // 2; bits is 0b0010
/// ```
///
/// See ``OSAtomicOr32(_:_:)`` for all else.
///
/// - Parameters:
///   - theMask: the mask.
///   - theValue: the address of the word, aligned.
/// - Returns: the new word.
@discardableResult
@inlinable
public func OSAtomicAnd32(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseAnd(theMask, ordering: .relaxed).newValue)
}

/// Does the same as ``OSAtomicAnd32(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicAnd32Barrier(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  Int32(
    bitPattern: atomicWord(theValue).pointee.bitwiseAnd(
      theMask, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
    ).newValue)
}

/// Does the same as ``OSAtomicAnd32(_:_:)`` but returns the old word.
@discardableResult
@inlinable
public func OSAtomicAnd32Orig(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseAnd(theMask, ordering: .relaxed).oldValue)
}

/// Does the same as ``OSAtomicAnd32Orig(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicAnd32OrigBarrier(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  Int32(
    bitPattern: atomicWord(theValue).pointee.bitwiseAnd(
      theMask, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
    ).oldValue)
}

// MARK: Xor

/// Inverts the bits of a mask in a word atomically.
///
/// ```swift
/// var bits: UInt32 = 0b0011
/// OSAtomicXor32(0b0110, &bits)  // 5; bits is 0b0101
/// ```
///
/// See ``OSAtomicOr32(_:_:)`` for all else.
///
/// - Parameters:
///   - theMask: the mask.
///   - theValue: the address of the word, aligned.
/// - Returns: the new word.
@discardableResult
@inlinable
public func OSAtomicXor32(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseXor(theMask, ordering: .relaxed).newValue)
}

/// Does the same as ``OSAtomicXor32(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicXor32Barrier(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  Int32(
    bitPattern: atomicWord(theValue).pointee.bitwiseXor(
      theMask, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
    ).newValue)
}

/// Does the same as ``OSAtomicXor32(_:_:)`` but returns the old word.
@discardableResult
@inlinable
public func OSAtomicXor32Orig(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseXor(theMask, ordering: .relaxed).oldValue)
}

/// Does the same as ``OSAtomicXor32Orig(_:_:)`` and is a memory barrier.
@discardableResult
@inlinable
public func OSAtomicXor32OrigBarrier(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  Int32(
    bitPattern: atomicWord(theValue).pointee.bitwiseXor(
      theMask, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
    ).oldValue)
}
