// OSAllocatedUnfairLock — an unfair lock with the state it guards, in memory of its own, so that
// you can copy and capture it.

/// A lock and the state that it guards.
///
/// ```swift
/// let names = OSAllocatedUnfairLock(initialState: [String]())
/// names.withLock { $0.append("Ada") }
/// ```
///
/// Copies share the same lock. Any thread may use it. It costs one allocation. Acquiring a free
/// lock and releasing it costs one atomic operation each. Locking it twice on one thread is
/// reported as a deadlock; unlocking it on a thread that does not hold it traps.
///
/// Source: Apple's documentation of `OSAllocatedUnfairLock`.
// SAFETY: `state` is accessed only under the lock.
@frozen
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  @usableFromInline let storage: UnfairStorage<State>

  /// Creates a lock for `initialState`, which you promise to use on one thread at a time.
  @inlinable public init(uncheckedState initialState: State) {
    storage = UnfairStorage(initialState)
  }

  /// Runs `body` on the state, with the lock held.
  @inlinable
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    storage.lock.lockUnfairly(.allocated)
    defer { storage.lock.unlockUnfairly(.allocated) }
    return try body(&storage.state)
  }

  /// Runs `body` on the state, with the lock held.
  @inlinable
  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
    try withLockUnchecked(body)
  }

  /// Runs `body` on the state if the lock is free; otherwise returns nil.
  @inlinable
  public func withLockIfAvailableUnchecked<R>(
    _ body: (inout State) throws -> R
  ) rethrows -> R? {
    guard storage.lock.tryUnfairly(.allocated) else { return nil }
    defer { storage.lock.unlockUnfairly(.allocated) }
    return try body(&storage.state)
  }

  /// Runs `body` on the state if the lock is free; otherwise returns nil.
  @inlinable
  public func withLockIfAvailable<R: Sendable>(
    _ body: @Sendable (inout State) throws -> R
  ) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// A claim about the owner of the lock.
  @frozen
  public enum Ownership: Hashable, Sendable {
    /// This thread holds the lock.
    case owner
    /// This thread does not hold the lock.
    case notOwner
  }

  /// Traps unless `condition` holds for this thread.
  @inlinable
  public func precondition(_ condition: Ownership) {
    storage.lock.checkUnfairly(isHeld: condition == .owner, .allocated)
  }
}

extension OSAllocatedUnfairLock where State: Sendable {
  /// Creates a lock for `initialState`.
  @inlinable public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
  /// Creates a lock without a state of its own.
  @inlinable public init() { self.init(uncheckedState: ()) }

  /// Runs `body` with the lock held.
  @inlinable
  public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
    try withLockUnchecked { _ in try body() }
  }

  /// Runs `body` with the lock held.
  @inlinable
  public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
    try withLockUnchecked(body)
  }

  /// Runs `body` if the lock is free; otherwise returns nil.
  @inlinable
  public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
    try withLockIfAvailableUnchecked { _ in try body() }
  }

  /// Runs `body` if the lock is free; otherwise returns nil.
  @inlinable
  public func withLockIfAvailable<R: Sendable>(
    _ body: @Sendable () throws -> R
  ) rethrows -> R? {
    try withLockIfAvailableUnchecked(body)
  }

  /// Acquires the lock, and waits for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public func lock() { storage.lock.lockUnfairly(.allocated) }

  /// Releases the lock, which this thread must hold.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public func unlock() { storage.lock.unlockUnfairly(.allocated) }

  /// Acquires the lock if it is free.
  ///
  /// - Returns: whether it acquired the lock.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public func lockIfAvailable() -> Bool { storage.lock.tryUnfairly(.allocated) }
}

/// The storage that copies of a lock share.
@usableFromInline
final class UnfairStorage<State> {
  @usableFromInline let lock = LockState()
  /// Guarded by `lock`.
  @usableFromInline var state: State

  @usableFromInline init(_ state: State) { self.state = state }

  deinit {
    LockMisuse.checkIsFree(lock.owner, "an OSAllocatedUnfairLock")
    lock.reportFreed()
  }
}
