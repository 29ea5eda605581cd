// Cell — a value that any thread may read or write, one at a time.

import Glibc

/// A shared value whose single reads and writes are safe. Two of them in a row
/// are not one step: that is how the listings with a race show it without ever
/// touching memory that another thread is writing.
///
/// The lock is a POSIX one, which ThreadSanitizer knows; it does not know the
/// standard library's `Mutex`.
final class Cell<Value: Sendable>: @unchecked Sendable {
  // SAFETY: `content` is touched with `mutex` held only.
  private var content: Value
  // SAFETY: allocated here, freed by `deinit`, never moved in between.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: Value) {
    content = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  var value: Value {
    get { withValue { $0 } }
    set { withValue { $0 = newValue } }
  }

  /// Reads and writes in one step.
  func withValue<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&content)
  }
}
