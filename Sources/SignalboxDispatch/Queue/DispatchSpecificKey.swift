// DispatchSpecificKey — what values that a queue carries are found by.

import CSignalbox
import SignalboxRuntime

/// A key for values of type `T` that queues carry: by identity.
///
/// ```swift
/// let name = DispatchSpecificKey<String>()
/// queue.setSpecific(key: name, value: "reader")
/// queue.async { print(DispatchQueue.getSpecific(key: name)!) }
/// ```
///
/// A queue that has a value for a key keeps the key.
///
/// Source: Apple's documentation of `DispatchSpecificKey`.
public final class DispatchSpecificKey<T> {
  @usableFromInline let type: Any.Type

  /// Makes a key that is equal to no other.
  public init() { type = T.self }

  /// Traps unless the key was made for values of `used`. Called from the program's
  /// own code: within a generic function the type comes from the key itself.
  @inlinable @inline(__always)
  func checkType(_ used: Any.Type) {
    if used != type { trapOtherType(used) }
  }

  @inline(never) @usableFromInline
  func trapOtherType(_ used: Any.Type) -> Never {
    clientBug(
      "a DispatchSpecificKey<\(used)> was used that was made as a DispatchSpecificKey<\(type)>: "
        + "the key was cast to another type. Make a key for each type.")
  }

  /// Where it lies.
  @inlinable @inline(__always)
  var address: UnsafeRawPointer {
    // SAFETY: compared, not followed.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

extension DispatchSpecificKey: Sendable where T: Sendable {}

extension DispatchSpecificKey: Hashable {
  public static func == (a: DispatchSpecificKey<T>, b: DispatchSpecificKey<T>) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DispatchQueue {
  /// Gives the queue `value` for `key`, or takes its value away with nil.
  ///
  /// Any thread, at any time, on every queue. The value that was there is freed
  /// before the call returns, on the calling thread, unless a reader has a copy;
  /// the last one when the queue is freed. It costs one object. Traps if the key was
  /// cast from one of another type.
  ///
  /// *Differences*: the toolchain frees the old value later, on a global queue.
  ///
  /// Source: Apple's documentation of `setSpecific(key:value:)`.
  @_transparent
  public final func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
    key.checkType(T.self)
    exchangeSpecific(key, value)
  }

  @inlinable
  final func exchangeSpecific<T>(_ key: DispatchSpecificKey<T>, _ value: T?) {
    exchangeSpecific(key.address, value.map { TypedSpecificValue(key, $0) })
  }

  @usableFromInline
  final func exchangeSpecific(_ key: UnsafeRawPointer, _ new: SpecificValue?) {
    // The old value is freed here, without the lock: it may run the program's code.
    _ = specifics.replace(key, by: new)
  }

  /// The queue's own value for `key`; those of its targets do not count.
  ///
  /// Any thread. Traps if the key was cast from one of another type. A queue
  /// without that key costs one load, else a short lock and a walk through the
  /// queue's values.
  @_transparent
  public final func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    key.checkType(T.self)
    return specific(key)
  }

  @inlinable
  final func specific<T>(_ key: DispatchSpecificKey<T>) -> T? { specifics.value(of: key) }

  /// The value for `key` of the queue that this code runs on, or of the first of
  /// its targets that has one; nil off any queue.
  ///
  /// Within nested `sync` only the innermost queue and its targets count. On the
  /// main thread, outside any item, it is the main queue's value. A global queue
  /// that was named as target is the last to be asked.
  ///
  /// Source: Apple's documentation of `getSpecific(key:)`.
  @_transparent
  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    key.checkType(T.self)
    return currentSpecific(key)
  }

  @inlinable
  static func currentSpecific<T>(_ key: DispatchSpecificKey<T>) -> T? {
    let address = key.address
    var next = carrier(of: address, above: nil)
    while let carrier = next {
      let value = carrier._withUnsafeGuaranteedRef { $0.specifics.lookUp(key) }
      if value != nil { return value }
      next = self.carrier(of: address, above: carrier)
    }
    return nil
  }

  /// The next queue in the current hierarchy that may have a value for `key`.
  @usableFromInline
  static func carrier(
    of key: UnsafeRawPointer, above last: Unmanaged<DispatchQueue>?
  ) -> Unmanaged<DispatchQueue>? {
    var next = last.map { $0._withUnsafeGuaranteedRef(\.above) } ?? innermost
    while let current = next {
      let mayHold = current._withUnsafeGuaranteedRef { $0.specifics.mayHold(key) }
      if mayHold { return current }
      next = current._withUnsafeGuaranteedRef(\.above)
    }
    return nil
  }

  /// The queue that this thread is on; the main queue on the main thread off any.
  private static var innermost: Unmanaged<DispatchQueue>? {
    if let frame = QueueFrame.innermost { return frame.pointee.queue }
    // SAFETY: the main queue is never freed.
    return csb_thread_is_main() == 0 ? nil : Unmanaged.passUnretained(.main)
  }
}
