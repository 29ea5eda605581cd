// Locked — a value behind a lock of the C library, which ThreadSanitizer understands. It does not
// see how the kernel hands over the standard library's `Mutex`.

import Glibc

/// Code must not suspend while it holds the lock.
final class Locked<Value: Sendable>: @unchecked Sendable {
  // SAFETY: the lock guards `value` and stays at its address.
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
