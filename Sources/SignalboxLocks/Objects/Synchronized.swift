// Synchronized — uses any object as a lock: Objective-C's `@synchronized`, and its functions.

/// The lock was entered or left.
public var OBJC_SYNC_SUCCESS: Int32 { 0 }

/// The calling thread does not hold the lock that it wants to leave.
public var OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int32 { -1 }

/// Enters the lock of an object, and waits until no other thread holds it.
///
/// ```swift
/// objc_sync_enter(account)
/// account.balance += 10
/// objc_sync_exit(account)
/// ```
///
/// Every object has a lock, created when a thread first enters it and freed when no thread uses it.
/// The thread that holds the lock may enter it again, and must then leave once more. The lock
/// excludes only threads that enter the same object. Threads that wait for each other forever
/// through such locks, or through these and others, are reported as a deadlock. Any thread may call
/// the function. In new code, a lock in a property is clearer.
///
/// *Differences:* the function takes an object, while Apple's takes `Any`: a value has no
/// identity that a lock could belong to.
///
/// Source: Apple's documentation of `objc_sync_enter`.
///
/// - Parameter object: the object; with nil the call does nothing.
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
/// - Parameter object: the object; with nil the call does nothing.
/// - Returns: `OBJC_SYNC_SUCCESS`, or `OBJC_SYNC_NOT_OWNING_THREAD_ERROR` if the calling thread
///   does not hold the lock. In that case the call does nothing.
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
/// *Beyond Apple's API*: Objective-C has the statement `@synchronized` for this. The function uses
/// the same lock as ``objc_sync_enter(_:)``, and releases the lock however the body ends. With nil,
/// the body runs without a lock.
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

/// Leaves the lock. The body may have left it itself with `objc_sync_exit`.
@usableFromInline
func _exitLock(ofObjectAt address: UInt) {
  if address != 0 { _ = ObjectLocks.exit(address) }
}

/// The object's address; 0 for nil.
@inlinable @inline(__always)
func _address(of object: AnyObject?) -> UInt {
  // SAFETY: an address for comparisons. Any other way would increment and decrement the
  // reference count.
  unsafeBitCast(object, to: UInt.self)
}
