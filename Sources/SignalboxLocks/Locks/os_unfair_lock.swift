// os_unfair_lock — Apple's functions on a word in the program's memory.

/// A lock's word. It must not be moved or copied while it is in use: keep it in memory that you
/// allocate, or use ``OSAllocatedUnfairLock``.
///
/// Source: Apple's documentation of `os_unfair_lock`.
@frozen
public struct os_unfair_lock_s: Sendable {
  @usableFromInline var word: UInt32

  /// Creates a free lock.
  @inlinable public init() { word = 0 }
}

/// A lock's word.
public typealias os_unfair_lock = os_unfair_lock_s

/// The address of a lock's word.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

/// Calls `body` with the lock at the address.
@inlinable @inline(__always)
func withState<T>(_ lock: os_unfair_lock_t, _ body: (borrowing LockState) -> T) -> T {
  // SAFETY: both are four bytes, and zero is a free lock of either.
  body(UnsafeMutableRawPointer(lock).assumingMemoryBound(to: LockState.self).pointee)
}

/// Acquires the lock, and waits for it if another thread holds it. Traps if this thread holds it.
///
/// Source: Apple's documentation of `os_unfair_lock_lock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@inlinable public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
  withState(lock) { $0.lockUnfairly(.functions) }
}

/// Acquires the lock if it is free.
///
/// Source: Apple's documentation of `os_unfair_lock_trylock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@inlinable public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
  withState(lock) { $0.tryUnfairly(.functions) }
}

/// Releases the lock. Traps unless this thread holds it.
///
/// Source: Apple's documentation of `os_unfair_lock_unlock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@inlinable public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
  withState(lock) { $0.unlockUnfairly(.functions) }
}

/// Traps unless this thread holds the lock.
///
/// Source: Apple's documentation of `os_unfair_lock_assert_owner`.
@inlinable public func os_unfair_lock_assert_owner(_ lock: os_unfair_lock_t) {
  withState(lock) { $0.checkUnfairly(isHeld: true, .functions) }
}

/// Traps if this thread holds the lock.
///
/// Source: Apple's documentation of `os_unfair_lock_assert_not_owner`.
@inlinable public func os_unfair_lock_assert_not_owner(_ lock: os_unfair_lock_t) {
  withState(lock) { $0.checkUnfairly(isHeld: false, .functions) }
}
