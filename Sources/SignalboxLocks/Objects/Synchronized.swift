// Synchronized — any object as a lock: `@synchronized` of Objective-C, and its functions.

/// The lock was entered or left.
public var OBJC_SYNC_SUCCESS: Int32 { 0 }

/// The calling thread does not hold the lock that it wants to leave.
public var OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 { -1 }

/// Enters the lock of an object, waiting until no other thread holds it.
///
/// ```swift
/// objc_sync_enter(account)
/// account.balance += 10
/// objc_sync_exit(account)
/// ```
///
/// Every object has one, made when it is first entered and gone when it is left. A thread
/// that holds it may enter it again, and leaves it as often. It keeps out only those who
/// enter the same object. Threads that wait for each other for ever through such locks, or
/// through these and others, are reported as a deadlock. Any thread. New code is clearer
/// with a lock that is a property.
///
/// *Differences:* takes an object, where Apple's takes `Any`: a value has no identity that
/// a lock could belong to.
///
/// Source: Apple's documentation of `objc_sync_enter`.
///
/// - Parameter object: whose lock; with nil nothing is done.
/// - Returns: `OBJC_SYNC_SUCCESS`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@discardableResult
public func objc_sync_enter(_ object: AnyObject?) -> Int32 {
  _enterLock(ofObjectAt: _address(of: object))
  return OBJC_SYNC_SUCCESS
}

/// Leaves the lock of an object.
///
/// Source: Apple's documentation of `objc_sync_exit`.
///
/// - Parameter object: whose lock; with nil nothing is done.
/// - Returns: `OBJC_SYNC_SUCCESS`, or `OBJC_SYNC_NOT_OWNING_THREAD_ERROR` where the calling
///   thread does not hold it: then nothing is done.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@discardableResult
public func objc_sync_exit(_ object: AnyObject?) -> Int32 {
  let address = _address(of: object)
  return address == 0 || ObjectLocks.exit(address)
    ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR
}

/// Runs `body` with the lock of an object held.
///
/// ```swift
/// synchronized(account) { account.balance += 10 }
/// ```
///
/// *Beyond Apple's API*, which has it as a statement of Objective-C. The same lock as that
/// of ``objc_sync_enter(_:)``. It is left however the body ends. With nil the body runs
/// without a lock.
@inlinable
public func synchronized<R: ~Copyable, E: Error>(
  _ object: AnyObject?, _ body: () throws(E) -> R
) throws(E) -> R {
  _enterLock(ofObjectAt: _address(of: object))
  defer { _exitLock(ofObjectAt: _address(of: object)) }
  return try body()
}

@usableFromInline
func _enterLock(ofObjectAt address: UInt) {
  if address != 0 { ObjectLocks.enter(address) }
}

/// A body may leave the lock by `objc_sync_exit` itself, as it may elsewhere.
@usableFromInline
func _exitLock(ofObjectAt address: UInt) {
  if address != 0 { _ = ObjectLocks.exit(address) }
}

/// 0 for nil.
@inlinable @inline(__always)
func _address(of object: AnyObject?) -> UInt {
  // SAFETY: an address to compare. Anything else would count a reference for a moment.
  unsafeBitCast(object, to: UInt.self)
}
