// Locked — a value behind a lock of the C library, which ThreadSanitizer understands: the
// kernel hands the standard library's `Mutex` over unseen.

import Glibc

/// Nobody suspends while it is held.
final class Locked<Value: Sendable>: @unchecked Sendable {
  // SAFETY: `value` is touched under the lock alone, which stays where it is.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body(&value)
  }
}
