// ThreadDictionary — a thread's own values, by key.
//
// Touching    everything: the thread that owns the dictionary. No lock guards it.
// Invariants  I1  `view` refers to the values, not to the dictionary, so there is no cycle.

/// Values that belong to one thread, by key.
///
/// ```swift
/// Thread.current.threadDictionary["parser"] = Parser()
/// let parser = Thread.current.threadDictionary["parser"] as? Parser
/// ```
///
/// Only the thread that owns the dictionary may use it. Before that thread starts, the thread that
/// will start it may use the dictionary. All values are released on the owning thread, when it
/// ends.
///
/// *Differences*: Apple's is an `NSMutableDictionary`. This is a type of its own with the same
/// subscript and methods; keys are of any hashable type. With `SignalboxFoundation` it is an
/// `NSMutableDictionary` again, with the same values.
///
/// Source: Apple's documentation of `Thread.threadDictionary`.
public final class ThreadDictionary: CustomStringConvertible {
  package let values = ThreadValues()
  /// The object through which another module presents the same values, if the program asked for it.
  package var view: AnyObject?

  init() {}

  /// The value of a key; `nil` removes it.
  public subscript(key: AnyHashable) -> Any? {
    get { values.byKey[key] }
    set { values.set(newValue, forKey: key) }
  }

  /// The value of a key, if there is one.
  public func object(forKey key: AnyHashable) -> Any? { values.byKey[key] }

  /// Sets the value of a key.
  public func setObject(_ object: Any, forKey key: AnyHashable) { values.set(object, forKey: key) }

  /// The value of a string key, if there is one.
  public func value(forKey key: String) -> Any? { values.byKey[key] }

  /// Sets the value of a string key; `nil` removes it.
  public func setValue(_ value: Any?, forKey key: String) { values.set(value, forKey: key) }

  /// Removes a key and its value.
  public func removeObject(forKey key: AnyHashable) { values.set(nil, forKey: key) }

  /// Removes all keys and values.
  public func removeAllObjects() { values.removeAll() }

  /// The number of keys.
  public var count: Int { values.byKey.count }

  /// The keys, in no particular order.
  public var allKeys: [Any] { values.byKey.keys.map(\.base) }

  /// The values, in no particular order.
  public var allValues: [Any] { Array(values.byKey.values) }

  public var description: String { values.byKey.description }

  /// Releases all values when the thread ends. A deinitializer may add new values; those are
  /// released too, for a limited number of rounds.
  func releaseAll() {
    for _ in 0..<ThreadDictionary.rounds where !values.byKey.isEmpty { values.removeAll() }
    view = nil
  }

  /// The number of rounds in which destructors run: the minimum that POSIX requires.
  private static var rounds: Int { 4 }
}

/// The content of a thread's dictionary.
///
/// A removed value is freed when the access to `byKey` is over, because its deinitializer may use
/// the dictionary again.
package final class ThreadValues {
  package private(set) var byKey: [AnyHashable: Any] = [:]

  package init() {}

  /// Sets the value of a key.
  ///
  /// - Parameter value: nil removes the key.
  package func set(_ value: Any?, forKey key: AnyHashable) {
    if let value {
      let old = byKey.updateValue(value, forKey: key)
      withExtendedLifetime(old) {}
    } else if let index = byKey.index(forKey: key) {
      let old = byKey.remove(at: index)
      withExtendedLifetime(old) {}
    }
  }

  package func removeAll() {
    let old = byKey
    byKey = [:]
    withExtendedLifetime(old) {}
  }
}
