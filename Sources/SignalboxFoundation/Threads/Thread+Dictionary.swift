// Thread+Dictionary — a thread's own values in Foundation's types.
//
// Touching    everything: the thread that owns the dictionary, as `ThreadDictionary` says.

public import Foundation
import SignalboxThreads

extension Thread {
  /// The thread's own values, which are released when the thread ends.
  ///
  /// Use it only on the thread that it belongs to or, before that thread starts, on the thread that
  /// creates that thread. It is always the same object.
  ///
  /// Source: Apple's documentation of `Thread.threadDictionary`.
  @_disfavoredOverload
  public var threadDictionary: NSMutableDictionary {
    let own = ownDictionary
    if let view = own.view as? NSMutableDictionary { return view }
    let view = ThreadDictionaryView(of: own.values)
    own.view = view
    return view
  }
}

/// The values of a `ThreadDictionary` as an `NSMutableDictionary`: both share the same
/// contents. An `NSString` key is stored as a `String`.
private final class ThreadDictionaryView: NSMutableDictionary {
  // SAFETY: the initializers that are called set it, and it never changes afterwards.
  private var values: ThreadValues! = ThreadValues()

  convenience init(of values: ThreadValues) {
    self.init(capacity: 0)
    self.values = values
  }

  override var count: Int { values.byKey.count }

  override func object(forKey aKey: Any) -> Any? { values.byKey[ThreadDictionaryView.key(aKey)] }

  override func keyEnumerator() -> NSEnumerator {
    NSArray(array: values.byKey.keys.map(\.base)).objectEnumerator()
  }

  override func setObject(_ anObject: Any, forKey aKey: AnyHashable) {
    values.set(anObject, forKey: ThreadDictionaryView.key(aKey.base))
  }

  override func removeObject(forKey aKey: Any) {
    values.set(nil, forKey: ThreadDictionaryView.key(aKey))
  }

  private static func key(_ key: Any) -> AnyHashable {
    if let string = key as? NSString { return String._unconditionallyBridgeFromObjectiveC(string) }
    return key as? AnyHashable ?? AnyHashable(ObjectIdentifier(key as AnyObject))
  }
}
