// DispatchSpecificKey — a key for values that queues carry.

import CSignalbox
import SignalboxRuntime

/// A key for values of type `T` that queues carry. Keys are compared by identity.
///
/// ```swift
/// let name = DispatchSpecificKey<String>()
/// queue.setSpecific(key: name, value: "reader")
/// queue.async { print(DispatchQueue.getSpecific(key: name)!) }
/// ```
///
/// A queue with a value for a key keeps the key alive.
///
/// Source: Apple's documentation of `DispatchSpecificKey`.
public final class DispatchSpecificKey<T> {
  @usableFromInline let type: Any.Type

  /// Creates a key that equals no other key.
  public init() { type = T.self }

  /// Traps unless the key was created for values of type `used`. Only the inlined call in the
  /// program's own code can reveal a wrong type: within a generic function, the type comes from the
  /// key itself.
  @inlinable @inline(__always)
  func checkType(_ used: Any.Type) {
    if used != type { trapOtherType(used) }
  }

  @inline(never) @usableFromInline
  func trapOtherType(_ used: Any.Type) -> Never {
    clientBug(
      "a key of the type DispatchSpecificKey<\(used)> was made as a "
        + "DispatchSpecificKey<\(type)>: the key was cast to another type. Make a key for each "
        + "type.")
  }

  @inlinable @inline(__always)
  var address: UnsafeRawPointer {
    // SAFETY: only compared, never followed.
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }
}

extension DispatchSpecificKey: Sendable where T: Sendable {}

extension DispatchSpecificKey: Hashable {
  public static func == (a: DispatchSpecificKey<T>, b: DispatchSpecificKey<T>) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DispatchQueue {
  /// Sets the queue's value for `key`, or removes it if `value` is nil.
  ///
  /// You may call it from any thread at any time, on every queue. The old value is freed on the
  /// calling thread before the call returns, unless a reader holds a copy. The last value is
  /// freed with the queue. The call costs one object, and traps if the key was cast from a key of
  /// another type.
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
    // The old value is freed here, without the lock, because its deinitializer may run the
    // program's code.
    _ = specifics.replace(key, by: new)
  }

  /// The queue's own value for `key`; the values of its targets do not count.
  ///
  /// Any thread may call it. It traps if the key was cast from a key of another type. It costs
  /// one load if the queue has no value for the key, otherwise a short lock and a walk through
  /// the queue's values.
  @_transparent
  public final func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
    key.checkType(T.self)
    return specific(key)
  }

  @inlinable
  final func specific<T>(_ key: DispatchSpecificKey<T>) -> T? { specifics.value(of: key) }

  /// The value for `key` of the queue that this code runs on, or of its first target that has
  /// one; nil outside of any queue.
  ///
  /// Within nested `sync` calls, only the innermost queue and its targets count. On the main
  /// thread, outside of any item, you get the main queue's value. A global queue that was given as
  /// a target is searched last.
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

  /// The queue that this thread is on. Outside of any queue, it is the main queue on the main
  /// thread.
  private static var innermost: Unmanaged<DispatchQueue>? {
    if let frame = QueueFrame.innermost { return frame.pointee.queue }
    // SAFETY: the main queue is never freed.
    return csb_thread_is_main() == 0 ? nil : Unmanaged.passUnretained(.main)
  }
}
