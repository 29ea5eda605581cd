// NSLocking — what all locks of this family can do.

/// A lock: taken, and left again by the thread that took it.
///
/// Source: Apple's documentation of `NSLocking`.
public protocol NSLocking {
  func lock()
  func unlock()
}

extension NSLocking {
  /// Runs `body` with the lock held.
  ///
  /// ```swift
  /// let total = lock.withLock { counts.reduce(0, +) }
  /// ```
  @inlinable @_disfavoredOverload
  public func withLock<R>(_ body: () throws -> R) rethrows -> R {
    lock()
    defer { unlock() }
    return try body()
  }
}
