// UnfairLock — a lock of four bytes.

/// The smallest lock: one word, stored where you put it.
///
/// ```swift
/// final class Counter: Sendable {
///   private let lock = UnfairLock()
///   private nonisolated(unsafe) var count = 0  // under `lock`
///   func increment() { lock.withLock { count += 1 } }
/// }
/// ```
///
/// Any thread may use it. Acquiring a free lock and releasing it costs one atomic operation each,
/// no system call and no memory. It is neither fair nor recursive: locking it twice on one thread
/// ends the process with a report of the deadlock. Unlocking it on another thread, and freeing it
/// while it is held, trap.
///
/// *Beyond Apple's API*: it replaces `os_unfair_lock`, which needs a pointer.
@frozen
public struct UnfairLock: ~Copyable, Sendable {
  @usableFromInline let state: LockState

  /// Creates a free lock.
  @inlinable public init() { state = LockState() }

  @inlinable deinit {
    if state.owner != 0 { UnfairLock.trapHeld(state.owner) }
    state.reportFreed()
  }

  /// Acquires the lock, and waits for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public borrowing func lock() { state.lockUnfairly(.unfairLock) }

  /// Acquires the lock if it is free.
  ///
  /// - Returns: whether it acquired the lock; also `false` if this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public borrowing func tryLock() -> Bool { state.tryUnfairly(.unfairLock) }

  /// Releases the lock, which this thread must hold.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public borrowing func unlock() { state.unlockUnfairly(.unfairLock) }

  /// Runs `body` with the lock held.
  @inlinable
  public borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    state.lockUnfairly(.unfairLock)
    defer { state.unlockUnfairly(.unfairLock) }
    return try body()
  }

  @inline(never) @usableFromInline
  static func trapHeld(_ owner: UInt32) {
    LockMisuse.checkIsFree(owner, "an UnfairLock")
  }
}
