// ThreadDictionary — what a thread keeps for itself under names of the program's.
//
// Touching    everything: the thread whose it is. Nothing guards it.

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
/// the same subscript and methods; keys are anything hashable.
///
/// Source: Apple's documentation of `Thread.threadDictionary`.
public final class ThreadDictionary: CustomStringConvertible {
  private var values: [AnyHashable: Any] = [:]

  init() {}

  /// The value of a key; setting `nil` removes it.
  public subscript(key: AnyHashable) -> Any? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// The value of a key, if there is one.
  public func object(forKey key: AnyHashable) -> Any? { values[key] }

  /// Gives a key a value.
  public func setObject(_ object: Any, forKey key: AnyHashable) { values[key] = object }

  /// The value of a key that is a string, if there is one.
  public func value(forKey key: String) -> Any? { values[key] }

  /// Gives a key that is a string a value; `nil` removes it.
  public func setValue(_ value: Any?, forKey key: String) { values[key] = value }

  /// Removes a key and its value.
  public func removeObject(forKey key: AnyHashable) { values[key] = nil }

  /// Removes all keys and values.
  public func removeAllObjects() {
    // What a value's end does may come here again.
    let old = values
    values = [:]
    _ = old
  }

  /// How many keys there are.
  public var count: Int { values.count }

  public var allKeys: [Any] { values.keys.map(\.base) }

  public var allValues: [Any] { Array(values.values) }

  public var description: String { values.description }

  /// At the thread's end. The end of a value may put new ones here: they go too, but not
  /// for ever.
  func releaseAll() {
    for _ in 0..<ThreadDictionary.rounds where !values.isEmpty { removeAllObjects() }
  }

  /// As many as POSIX asks of the values of its keys.
  private static var rounds: Int { 4 }
}
