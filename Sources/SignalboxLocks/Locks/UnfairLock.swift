// UnfairLock — four bytes that one thread holds at a time.

/// The smallest lock: one word, where you put it.
///
/// ```swift
/// final class Counter: Sendable {
///   private let lock = UnfairLock()
///   private nonisolated(unsafe) var count = 0  // under `lock`
///   func increment() { lock.withLock { count += 1 } }
/// }
/// ```
///
/// Any thread. Taking it free and leaving it costs an atomic operation each, no
/// system call and no memory. It is not fair, and not recursive: locking it twice on
/// one thread is reported as the deadlock it is. It must be left by the thread that
/// took it; anything else traps, and so does the end of a lock that is held.
///
/// *Beyond Apple's API*: it stands for `os_unfair_lock` where that needs a pointer.
@frozen
public struct UnfairLock: ~Copyable, Sendable {
  @usableFromInline let state: LockState

  /// A lock that nobody holds.
  @inlinable public init() { state = LockState() }

  @inlinable deinit {
    if state.owner != 0 { UnfairLock.trapHeld(state.owner) }
    state.tellFreed()
  }

  /// Takes the lock, waiting for it if another thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public borrowing func lock() { state.lockUnfairly(.unfairLock) }

  /// Takes the lock if it is free.
  ///
  /// - Returns: whether it was taken; `false` also where this thread holds it.
  @available(*, noasync, message: "Use async-safe scoped locking instead")
  @inlinable public borrowing func tryLock() -> Bool { state.tryUnfairly(.unfairLock) }

  /// Leaves the lock, which this thread must hold.
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
