// ThreadDictionary — what a thread keeps for itself under names of the program's.
//
// Touching    everything: the thread whose it is. Nothing guards it.
// Invariants  I1  `view` refers to the values, not to the dictionary: there is no cycle.

/// Values that belong to one thread, by key.
///
/// ```swift
/// Thread.current.threadDictionary["parser"] = Parser()
/// let parser = Thread.current.threadDictionary["parser"] as? Parser
/// ```
///
/// For the thread that it belongs to, and before that is started for whoever starts it.
/// All values are released on the thread, when it ends.
///
/// *Differences*: Apple's is an `NSMutableDictionary`. This is a type of its own with
/// the same subscript and methods; keys are anything hashable. With `SignalboxFoundation` it
/// is an `NSMutableDictionary` again, of the same values.
///
/// Source: Apple's documentation of `Thread.threadDictionary`.
public final class ThreadDictionary: CustomStringConvertible {
  package let values = ThreadValues()
  /// The same values as another module shows them, where it was asked to.
  package var view: AnyObject?

  init() {}

  /// The value of a key; setting `nil` removes it.
  public subscript(key: AnyHashable) -> Any? {
    get { values.byKey[key] }
    set { values.set(newValue, forKey: key) }
  }

  /// The value of a key, if there is one.
  public func object(forKey key: AnyHashable) -> Any? { values.byKey[key] }

  /// Gives a key a value.
  public func setObject(_ object: Any, forKey key: AnyHashable) { values.set(object, forKey: key) }

  /// The value of a key that is a string, if there is one.
  public func value(forKey key: String) -> Any? { values.byKey[key] }

  /// Gives a key that is a string a value; `nil` removes it.
  public func setValue(_ value: Any?, forKey key: String) { values.set(value, forKey: key) }

  /// Removes a key and its value.
  public func removeObject(forKey key: AnyHashable) { values.set(nil, forKey: key) }

  /// Removes all keys and values.
  public func removeAllObjects() { values.removeAll() }

  /// How many keys there are.
  public var count: Int { values.byKey.count }

  /// The keys, in no order.
  public var allKeys: [Any] { values.byKey.keys.map(\.base) }

  /// The values, in no order.
  public var allValues: [Any] { Array(values.byKey.values) }

  public var description: String { values.byKey.description }

  /// At the thread's end. The end of a value may put new ones here: they go too, but not
  /// for ever.
  func releaseAll() {
    for _ in 0..<ThreadDictionary.rounds where !values.byKey.isEmpty { values.removeAll() }
    view = nil
  }

  /// As many as POSIX asks of the values of its keys.
  private static var rounds: Int { 4 }
}

/// What is in a thread's dictionary.
///
/// What is taken out of it is freed when the access to `byKey` is over: its end may come here
/// again.
package final class ThreadValues {
  package private(set) var byKey: [AnyHashable: Any] = [:]

  package init() {}

  /// - Parameter value: nil removes the key.
  package func set(_ value: Any?, forKey key: AnyHashable) {
    if let value {
      let old = byKey.updateValue(value, forKey: key)
      withExtendedLifetime(old) {}
    } else if let place = byKey.index(forKey: key) {
      let old = byKey.remove(at: place)
      withExtendedLifetime(old) {}
    }
  }

  package func removeAll() {
    let old = byKey
    byKey = [:]
    withExtendedLifetime(old) {}
  }
}
