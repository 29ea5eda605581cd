// os_unfair_lock — Apple's functions on a word that the program keeps.

/// A lock's word. It must not move, and not be copied, while it is in use: keep it in
/// memory that you allocate, or use ``OSAllocatedUnfairLock``.
///
/// Source: Apple's documentation of `os_unfair_lock`.
@frozen
public struct os_unfair_lock_s: Sendable {
  @usableFromInline var word: UInt32

  /// A lock that nobody holds.
  @inlinable public init() { word = 0 }
}

/// A lock's word.
public typealias os_unfair_lock = os_unfair_lock_s

/// Where a lock's word lies.
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

/// Calls `body` with the lock at the address.
@inlinable @inline(__always)
func withState<T>(_ lock: os_unfair_lock_t, _ body: (borrowing LockState) -> T) -> T {
  // SAFETY: both are four bytes, and zero is a free lock of either.
  body(UnsafeMutableRawPointer(lock).assumingMemoryBound(to: LockState.self).pointee)
}

/// Takes the lock, waiting for it if another thread holds it. Traps if this thread
/// does.
///
/// Source: Apple's documentation of `os_unfair_lock_lock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@inlinable public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
  withState(lock) { $0.lockUnfairly(.functions) }
}

/// Takes the lock if it is free.
///
/// Source: Apple's documentation of `os_unfair_lock_trylock`.
@available(*, noasync, message: "Use async-safe scoped locking instead")
@inlinable public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
  withState(lock) { $0.tryUnfairly(.functions) }
}

/// Leaves the lock. Traps unless this thread holds it.
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
