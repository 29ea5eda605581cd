// Cell — a value that any thread may read or write, one at a time.

import Synchronization

/// A shared value whose single reads and writes are safe. Two of them in a row
/// are not one step: that is how the listings with a race show it without ever
/// touching memory that another thread is writing.
final class Cell<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }

  /// Reads and writes in one step.
  func withValue<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
    mutex.withLock { body(&$0) }
  }
}
