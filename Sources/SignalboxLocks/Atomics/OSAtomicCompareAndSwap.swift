// OSAtomicCompareAndSwap — a word replaced, if it still is what it was.

public import Synchronization

/// Replaces a number, if it is the one that is expected, in one step.
///
/// ```swift
/// var number: Int32 = 10
/// OSAtomicCompareAndSwap32(10, 20, &number)  // true; number is 20
/// OSAtomicCompareAndSwap32(10, 30, &number)  // false; number stays 20
/// ```
///
/// A number that was changed and changed back is not told from one that stood still: where
/// that matters, as it does for nodes that are used again, a lock is the simpler way. It
/// never fails while the number is the expected one.
///
/// Any thread. Nothing is promised about other memory; the form with a barrier does. New
/// code has `Synchronization.Atomic`.
///
/// Source: Apple's manual page atomic(3).
///
/// - Parameters:
///   - oldValue: what the number must be.
///   - newValue: what it then becomes.
///   - theValue: the address of the number, aligned for its type.
/// - Returns: whether it was replaced.
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

/// As ``OSAtomicCompareAndSwap32(_:_:_:)``, and a memory barrier, whether or not it replaces.
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

/// As ``OSAtomicCompareAndSwap32(_:_:_:)``, on 64 bits.
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

/// As ``OSAtomicCompareAndSwap64(_:_:_:)``, and a memory barrier, whether or not it replaces.
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

/// As ``OSAtomicCompareAndSwap32(_:_:_:)``: C's `int` has 32 bits.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapInt(
  _ oldValue: Int32, _ newValue: Int32,
  _ theValue: UnsafeMutablePointer<Int32>
) -> Bool {
  OSAtomicCompareAndSwap32(oldValue, newValue, theValue)
}

/// As ``OSAtomicCompareAndSwapInt(_:_:_:)``, and a memory barrier, whether or not it replaces.
@discardableResult
@inlinable
public func OSAtomicCompareAndSwapIntBarrier(
  _ oldValue: Int32, _ newValue: Int32,
  _ theValue: UnsafeMutablePointer<Int32>
) -> Bool {
  OSAtomicCompareAndSwap32Barrier(oldValue, newValue, theValue)
}

/// As ``OSAtomicCompareAndSwap32(_:_:_:)``, on a word of the machine's: C's `long`.
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

/// As ``OSAtomicCompareAndSwapLong(_:_:_:)``, and a memory barrier, whether or not it replaces.
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

/// As ``OSAtomicCompareAndSwap32(_:_:_:)``, on a pointer.
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

/// As ``OSAtomicCompareAndSwapPtr(_:_:_:)``, and a memory barrier, whether or not it replaces.
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
