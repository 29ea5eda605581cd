// NSLocking — the operations of all locks of this family.

/// A lock that a thread acquires and releases.
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
