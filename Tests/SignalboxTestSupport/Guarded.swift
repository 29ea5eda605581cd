// Guarded — a value behind a mutex, with a condition variable that signals changes.
//
// It uses POSIX primitives, so that a test's own waiting does not depend on the library under
// test and ThreadSanitizer understands it.
//
// Touching    `value`: the holder of `mutex` only.

import Glibc

package final class Guarded<Value: Sendable>: @unchecked Sendable {
  // SAFETY: `value` is read and written with `mutex` held only; the pointers
  // are written once, before any other thread can have a reference.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    changed = .allocate(capacity: 1)
    changed.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the value under the mutex, then wakes every waiter to check its condition
  /// again.
  @discardableResult
  package func withValue<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  package var current: Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return value
  }

  /// Waits until the condition holds and returns true, or returns false after the limit.
  package func wait(limit: Duration, until condition: (Value) -> Bool) -> Bool {
    var deadline = (Uptime.now() + limit).timespecValue
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !condition(value) {
      if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT {
        return condition(value)
      }
    }
    return true
  }
}
