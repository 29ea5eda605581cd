// Isolated — a value that many may read at a time and one may write.
//
// Touching    `value`: read in items of `queue`, written in its barrier items.

public import SignalboxDispatch

/// A value behind a queue of its own: reads run side by side, a write runs alone.
///
/// ```swift
/// let photos = Isolated<[Photo]>([])
/// photos.write { $0.append(photo) }       // returns at once
/// let count = photos.read { $0.count }    // counts that photo too
/// ```
///
/// Every read sees each write that its own thread asked for before, whole: a
/// write is a barrier, which the read comes after.
///
/// From any thread. An undisturbed read costs what an undisturbed `sync` does, and a write
/// that does not wait is a barrier submitted to a concurrent queue. The bodies
/// must not wait for the same `Isolated`: from within a write, that is a deadlock, which
/// traps; from within a read, it waits for ever as soon as a write stands between.
///
/// *Beyond Apple's API.* The isolation queue of “The GCD Handbook” by Soroush Khanlou,
/// 2016, for any value.
public final class Isolated<Value: Sendable>: @unchecked Sendable {
  // SAFETY: see Touching.
  @usableFromInline var value: Value
  @usableFromInline let queue: DispatchQueue

  /// - Parameters:
  ///   - value: the first value.
  ///   - label: the name of the queue, for reports and messages.
  ///   - qos: how urgent the reads and writes that do not wait are.
  public init(
    _ value: Value, label: String = "org.signalbox.isolation", qos: DispatchQoS = .unspecified
  ) {
    self.value = value
    queue = DispatchQueue(label: label, qos: qos, attributes: .concurrent)
  }

  // MARK: Reading

  /// Calls `body` with the value, beside other reads, and returns what it returns.
  ///
  /// Waits for the writes that were asked for before.
  @inlinable
  public func read<Result>(_ body: (borrowing Value) throws -> Result) rethrows -> Result {
    try queue.sync { try body(value) }
  }

  /// Reads the value without waiting, and has `completion` called with it on
  /// `queue`.
  ///
  /// The value is the one after all writes that were asked for before.
  public func read(
    on queue: DispatchQueue, completion: @escaping @Sendable (Value) -> Void
  ) {
    read({ $0 }, on: queue, completion: completion)
  }

  /// Calls `body` with the value, beside other reads and without waiting, and has
  /// `completion` called with what it returns on `queue`.
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

  /// Has `body` change the value when everything asked for before is over, alone;
  /// returns at once.
  public func write(_ body: @escaping @Sendable (inout Value) -> Void) {
    queue.async(flags: .barrier) { body(&self.value) }
  }

  /// Calls `body` to change the value, alone, and returns what it returns.
  ///
  /// Waits for everything asked for before.
  @inlinable
  public func writeAndWait<Result>(
    _ body: (inout Value) throws -> Result
  ) rethrows -> Result {
    try queue.sync(flags: .barrier) { try body(&value) }
  }
}
