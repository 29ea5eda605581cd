// OSAtomicLogic — bits of a 32-bit word set, kept or turned round in one step.
//
// Each comes in four forms: the result or the word as it was, without and with a
// barrier.

public import Synchronization

// MARK: Or

/// Sets the bits of a mask in a word, in one step.
///
/// ```swift
/// var bits: UInt32 = 0b0011
/// OSAtomicOr32(0b0110, &bits)  // 7; bits is 0b0111
/// ```
///
/// Any thread. Nothing is promised about other memory; the form with a barrier does.
/// The result is signed, as Apple's is, and has the same bits. New code has
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

/// As ``OSAtomicOr32(_:_:)``, and a memory barrier.
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

/// As ``OSAtomicOr32(_:_:)``, but gives the word as it was before.
@discardableResult
@inlinable
public func OSAtomicOr32Orig(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseOr(theMask, ordering: .relaxed).oldValue)
}

/// As ``OSAtomicOr32Orig(_:_:)``, and a memory barrier.
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

/// Clears the bits of a word that a mask does not have, in one step.
///
/// ```swift
/// var bits: UInt32 = 0b0011
/// OSAtomicAnd32(0b0110, &bits)  // 2; bits is 0b0010
/// ```
///
/// For the rest see ``OSAtomicOr32(_:_:)``.
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

/// As ``OSAtomicAnd32(_:_:)``, and a memory barrier.
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

/// As ``OSAtomicAnd32(_:_:)``, but gives the word as it was before.
@discardableResult
@inlinable
public func OSAtomicAnd32Orig(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseAnd(theMask, ordering: .relaxed).oldValue)
}

/// As ``OSAtomicAnd32Orig(_:_:)``, and a memory barrier.
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

/// Turns the bits of a mask round in a word, in one step.
///
/// ```swift
/// var bits: UInt32 = 0b0011
/// OSAtomicXor32(0b0110, &bits)  // 5; bits is 0b0101
/// ```
///
/// For the rest see ``OSAtomicOr32(_:_:)``.
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

/// As ``OSAtomicXor32(_:_:)``, and a memory barrier.
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

/// As ``OSAtomicXor32(_:_:)``, but gives the word as it was before.
@discardableResult
@inlinable
public func OSAtomicXor32Orig(
  _ theMask: UInt32, _ theValue: UnsafeMutablePointer<UInt32>
) -> Int32 {
  // order: relaxed; this form promises none.
  Int32(bitPattern: atomicWord(theValue).pointee.bitwiseXor(theMask, ordering: .relaxed).oldValue)
}

/// As ``OSAtomicXor32Orig(_:_:)``, and a memory barrier.
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
