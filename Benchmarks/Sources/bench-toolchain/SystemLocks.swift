// What `SignalboxLocks` has and the toolchain has not, as one does without.

import Glibc

/// The system's.
final class ReadWriteLock: @unchecked Sendable {
  // SAFETY: the lock may be used from any thread; it stays where it was made.
  private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

  init() {
    lock.initialize(to: pthread_rwlock_t())
    pthread_rwlock_init(lock, nil)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func lockForReading() { pthread_rwlock_rdlock(lock) }
  func lockForWriting() { pthread_rwlock_wrlock(lock) }
  func unlock() { pthread_rwlock_unlock(lock) }
}

private let recursive = NSRecursiveLock()

/// One recursive lock, as a property of the object would be.
func synchronized<R>(_ object: AnyObject?, _ body: () throws -> R) rethrows -> R {
  recursive.lock()
  defer { recursive.unlock() }
  return try body()
}
