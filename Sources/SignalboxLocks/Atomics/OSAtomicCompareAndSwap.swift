// OSAtomicCompareAndSwap — replaces a word if it has the expected value.

public import Synchronization

/// Replaces a number atomically if it has the expected value.
///
/// ```swift
/// var number: Int32 = 10
/// OSAtomicCompareAndSwap32(10, 20, &number)  // true; number is 20
/// OSAtomicCompareAndSwap32(10, 30, &number)  // false; number stays 20
/// ```
///
/// The function cannot tell a number that was changed and changed back from one that did not
/// change. If that matters, as it does for nodes that are reused, a lock is simpler. The function
/// never fails while the number has the expected value.
///
/// Any thread may call it. It does not order other memory; the form with a barrier does. New code
/// uses `Synchronization.Atomic`.
///
/// Source: Apple's manual page atomic(3).
///
/// - Parameters:
///   - oldValue: the expected value.
///   - newValue: the new value.
///   - theValue: the address of the number, aligned for its type.
/// - Returns: whether it replaced the number.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwap32(
  _ oldValue: Int32, _ newValue: Int32,
  _ theValue: UnsafeMutablePointer<Int32>
) -> Bool {
  // order: relaxed; this form promises none.
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue, ordering: .relaxed
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwap32(_:_:_:)`` and is a memory barrier, whether or not
/// it replaces the number.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwap32Barrier(
  _ oldValue: Int32, _ newValue: Int32,
  _ theValue: UnsafeMutablePointer<Int32>
) -> Bool {
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue,
    ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwap32(_:_:_:)``, on 64 bits.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwap64(
  _ oldValue: Int64, _ newValue: Int64,
  _ theValue: UnsafeMutablePointer<Int64>
) -> Bool {
  // order: relaxed; this form promises none.
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue, ordering: .relaxed
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwap64(_:_:_:)`` and is a memory barrier, whether or not
/// it replaces the number.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwap64Barrier(
  _ oldValue: Int64, _ newValue: Int64,
  _ theValue: UnsafeMutablePointer<Int64>
) -> Bool {
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue,
    ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwap32(_:_:_:)``: C's `int` has 32 bits.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapInt(
  _ oldValue: Int32, _ newValue: Int32,
  _ theValue: UnsafeMutablePointer<Int32>
) -> Bool {
  OSAtomicCompareAndSwap32(oldValue, newValue, theValue)
}

/// Does the same as ``OSAtomicCompareAndSwapInt(_:_:_:)`` and is a memory barrier, whether or not
/// it replaces the number.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapIntBarrier(
  _ oldValue: Int32, _ newValue: Int32,
  _ theValue: UnsafeMutablePointer<Int32>
) -> Bool {
  OSAtomicCompareAndSwap32Barrier(oldValue, newValue, theValue)
}

/// Does the same as ``OSAtomicCompareAndSwap32(_:_:_:)`` on a machine word, C's `long`.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapLong(
  _ oldValue: Int, _ newValue: Int,
  _ theValue: UnsafeMutablePointer<Int>
) -> Bool {
  // order: relaxed; this form promises none.
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue, ordering: .relaxed
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwapLong(_:_:_:)`` and is a memory barrier, whether or
/// not it replaces the word.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapLongBarrier(
  _ oldValue: Int, _ newValue: Int,
  _ theValue: UnsafeMutablePointer<Int>
) -> Bool {
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue,
    ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwap32(_:_:_:)``, on a pointer.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapPtr(
  _ oldValue: UnsafeMutableRawPointer?, _ newValue: UnsafeMutableRawPointer?,
  _ theValue: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Bool {
  // order: relaxed; this form promises none.
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue, ordering: .relaxed
  ).exchanged
}

/// Does the same as ``OSAtomicCompareAndSwapPtr(_:_:_:)`` and is a memory barrier, whether or not
/// it replaces the pointer.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapPtrBarrier(
  _ oldValue: UnsafeMutableRawPointer?, _ newValue: UnsafeMutableRawPointer?,
  _ theValue: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> Bool {
  atomicWord(theValue).pointee.compareExchange(
    expected: oldValue, desired: newValue,
    ordering: .sequentiallyConsistent  // order: sequentially consistent, OA1
  ).exchanged
}
