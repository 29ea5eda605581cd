// Thread+Dictionary — a thread's own values as Foundation spells them.
//
// Touching    everything: the thread whose dictionary it is, as `ThreadDictionary` says.

public import Foundation
import SignalboxThreads

extension Thread {
  /// The thread's own values. They are released when it ends.
  ///
  /// For the thread that it belongs to, and before that is started for whoever starts it. It is
  /// the same object at each call.
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

/// The values of a `ThreadDictionary`, as an `NSMutableDictionary`: what is put into either
/// is in both. A key that is an `NSString` is the `String`.
private final class ThreadDictionaryView: NSMutableDictionary {
  // SAFETY: set by the initializers that are called, and never after.
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
