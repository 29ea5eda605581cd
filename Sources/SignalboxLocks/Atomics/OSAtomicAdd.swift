// OSAtomicAdd — atomic additions.

public import Synchronization

/// Adds to a number atomically.
///
/// ```swift
/// var number: Int64 = 10
/// OSAtomicAdd64(20, &number)
/// OSAtomicAdd64Barrier(20, &number)  // number is 50
/// ```
///
/// A number that several threads share must be where a pointer to it stays valid: in memory from
/// `UnsafeMutablePointer.allocate`, not in a variable that another thread writes without atomics.
/// Overflow wraps around. The function does not order other memory;
/// ``OSAtomicAdd32Barrier(_:_:)`` does.
///
/// Any thread may call it. It costs one instruction. New code uses `Synchronization.Atomic`,
/// which prevents any other access to the number.
///
/// Source: Apple's manual page atomic(3).
///
/// - Parameters:
///   - theAmount: the number to add.
///   - theValue: the address of the number, aligned for its type.
/// - Returns: the sum.
@discardableResult
@inlinable
public func OSAtomicAdd32(_ theAmount: Int32, _ theValue: UnsafeMutablePointer<Int32>) -> Int32 {
  // order: relaxed; this form promises none.
  atomicWord(theValue).pointee.wrappingAdd(theAmount, ordering: .relaxed).newValue
}

/// Does the same as ``OSAtomicAdd32(_:_:)`` and is a memory barrier: a thread that sees the sum,
/// and also uses a barrier, sees what this thread did before.
@discardableResult
@inlinable
public func OSAtomicAdd32Barrier(
  _ theAmount: Int32, _ theValue: UnsafeMutablePointer<Int32>
) -> Int32 {
  atomicWord(theValue).pointee.wrappingAdd(
    theAmount, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).newValue
}

/// Does the same as ``OSAtomicAdd32(_:_:)``, on 64 bits.
@discardableResult
@inlinable
public func OSAtomicAdd64(_ theAmount: Int64, _ theValue: UnsafeMutablePointer<Int64>) -> Int64 {
  // order: relaxed; this form promises none.
  atomicWord(theValue).pointee.wrappingAdd(theAmount, ordering: .relaxed).newValue
}

/// Does the same as ``OSAtomicAdd32Barrier(_:_:)``, on 64 bits.
@discardableResult
@inlinable
public func OSAtomicAdd64Barrier(
  _ theAmount: Int64, _ theValue: UnsafeMutablePointer<Int64>
) -> Int64 {
  atomicWord(theValue).pointee.wrappingAdd(
    theAmount, ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).newValue
}

// MARK: By one

/// Adds 1, as ``OSAtomicAdd32(_:_:)`` does.
///
/// ```swift
/// var number: Int32 = 10
/// OSAtomicIncrement32(&number)  // 11
/// ```
@discardableResult
@inlinable
public func OSAtomicIncrement32(_ theValue: UnsafeMutablePointer<Int32>) -> Int32 {
  OSAtomicAdd32(1, theValue)
}

/// Adds 1, as ``OSAtomicAdd32Barrier(_:_:)`` does.
@discardableResult
@inlinable
public func OSAtomicIncrement32Barrier(_ theValue: UnsafeMutablePointer<Int32>) -> Int32 {
  OSAtomicAdd32Barrier(1, theValue)
}

/// Adds 1, as ``OSAtomicAdd64(_:_:)`` does.
@discardableResult
@inlinable
public func OSAtomicIncrement64(_ theValue: UnsafeMutablePointer<Int64>) -> Int64 {
  OSAtomicAdd64(1, theValue)
}

/// Adds 1, as ``OSAtomicAdd64Barrier(_:_:)`` does.
@discardableResult
@inlinable
public func OSAtomicIncrement64Barrier(_ theValue: UnsafeMutablePointer<Int64>) -> Int64 {
  OSAtomicAdd64Barrier(1, theValue)
}

/// Subtracts 1, as ``OSAtomicAdd32(_:_:)`` of −1 does.
@discardableResult
@inlinable
public func OSAtomicDecrement32(_ theValue: UnsafeMutablePointer<Int32>) -> Int32 {
  OSAtomicAdd32(-1, theValue)
}

/// Subtracts 1, as ``OSAtomicAdd32Barrier(_:_:)`` of −1 does.
@discardableResult
@inlinable
public func OSAtomicDecrement32Barrier(_ theValue: UnsafeMutablePointer<Int32>) -> Int32 {
  OSAtomicAdd32Barrier(-1, theValue)
}

/// Subtracts 1, as ``OSAtomicAdd64(_:_:)`` of −1 does.
@discardableResult
@inlinable
public func OSAtomicDecrement64(_ theValue: UnsafeMutablePointer<Int64>) -> Int64 {
  OSAtomicAdd64(-1, theValue)
}

/// Subtracts 1, as ``OSAtomicAdd64Barrier(_:_:)`` of −1 does.
@discardableResult
@inlinable
public func OSAtomicDecrement64Barrier(_ theValue: UnsafeMutablePointer<Int64>) -> Int64 {
  OSAtomicAdd64Barrier(-1, theValue)
}
