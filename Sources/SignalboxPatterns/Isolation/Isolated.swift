// Isolated — a value with many concurrent readers or one writer.
//
// Touching    `value`: read in items of `queue`, written in its barrier items.

public import SignalboxDispatch

/// A value behind a queue of its own: reads run concurrently, a write runs alone.
///
/// ```swift
/// let photos = Isolated<[Photo]>([])
/// photos.write { $0.append(photo) }       // returns at once
/// let count = photos.read { $0.count }    // counts that photo too
/// ```
///
/// A read sees every earlier write of its own thread completed: a write is a barrier, and the
/// read runs after it.
///
/// Call it from any thread. An uncontended read costs as much as an uncontended `sync`; a write
/// that does not wait costs a barrier submitted to a concurrent queue. The closures must not
/// wait for the same `Isolated`: inside a write, that is a deadlock, which traps; inside a
/// read, the wait never ends if a write was queued after that read began.
///
/// *Beyond Apple's API.* The isolation queue of “The GCD Handbook” by Soroush Khanlou,
/// 2016, for any value.
public final class Isolated<Value: Sendable>: @unchecked Sendable {
  // SAFETY: see Touching.
  @usableFromInline var value: Value
  @usableFromInline let queue: DispatchQueue

  /// Creates an isolated value.
  ///
  /// - Parameters:
  ///   - value: the initial value.
  ///   - label: the name of the queue, for reports and messages.
  ///   - qos: the urgency of reads and writes that do not wait.
  public init(
    _ value: Value, label: String = "org.signalbox.isolation", qos: DispatchQoS = .unspecified
  ) {
    self.value = value
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent)
  }

  // MARK: Reading

  /// Calls `body` with the value, concurrently with other reads, and returns its result.
  ///
  /// Waits for the writes that were submitted before.
  @inlinable
  public func read<Result>(_ body: (borrowing Value) throws -> Result) rethrows -> Result {
    try queue.sync { try body(value) }
  }

  /// Reads the value without waiting, and calls `completion` with it on `queue`.
  ///
  /// The value includes all writes that were submitted before.
  public func read(
    on queue: DispatchQueue, completion: @escaping @Sendable (Value) -> Void
  ) {
    read({ $0 }, on: queue, completion: completion)
  }

  /// Calls `body` with the value, concurrently with other reads and without waiting, and calls
  /// `completion` with its result on `queue`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Value) -> Result, on queue: DispatchQueue,
    completion: @escaping @Sendable (Result) -> Void
  ) {
    self.queue.async {
      let result = body(self.value)
      queue.async { completion(result) }
    }
  }

  // MARK: Writing

  /// Changes the value with `body`, alone, after all earlier reads and writes. Returns at once.
  public func write(_ body: @escaping @Sendable (inout Value) -> Void) {
    queue.async(flags: .barrier) { body(&self.value) }
  }

  /// Changes the value with `body`, alone, and returns its result.
  ///
  /// Waits for all earlier reads and writes.
  @inlinable
  public func writeAndWait<Result>(
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    try queue.sync(flags: .barrier) { try body(&value) }
  }
}
