// Port+Foundation — what ports need for Foundation's types: arrays of components, zones, the
// equality of `NSObject`.

public import Foundation
public import SignalboxRunLoop

extension SignalboxRunLoop.Port: NSCopying {
  /// Returns the port itself.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Sends a message with its components in an `NSMutableArray`. See
  /// `send(before:msgid:components:from:reserved:)`.
  @_disfavoredOverload @discardableResult
  public func send(
    before limitDate: Date, components: NSMutableArray?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    send(
      before: limitDate, components: components?.asComponents, from: receivePort,
      reserved: headerSpaceReserved)
  }

  /// Sends a message with its components in an `NSMutableArray`: `Data`, `NSData` and ports.
  @_disfavoredOverload @discardableResult
  public func send(
    before limitDate: Date, msgid msgID: Int, components: NSMutableArray?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    send(
      before: limitDate, msgid: msgID, components: components?.asComponents, from: receivePort,
      reserved: headerSpaceReserved)
  }
}

extension SignalboxRunLoop.SocketPort {
  /// The hash of the address: equal for ports with the same address.
  public var hash: Int { hashValue }

  /// Returns whether the other object is a port with the same address.
  public func isEqual(_ object: Any?) -> Bool { (object as? Port) == self }
}

extension SignalboxRunLoop.PortMessage: NSCopying {
  /// Creates a message whose components are objects: `NSData` and ports.
  @_disfavoredOverload
  public convenience init(
    sendPort: Port?, receivePort replyPort: Port?, components: [AnyObject]?
  ) {
    let values: [Any]? = components.map { $0.map { asComponent($0) } }
    self.init(sendPort: sendPort, receivePort: replyPort, components: values)
  }

  /// The components in order, each an `NSData` or a `Port`; `nil` or empty if there are none.
  ///
  /// Source: Apple's documentation of `PortMessage.components`.
  @_disfavoredOverload
  public var components: [AnyObject]? {
    contents.map { $0.map { ($0 as? Data)?._bridgeToObjectiveC() ?? $0 as AnyObject } }
  }

  /// Returns another message with the same contents.
  public func copy(with zone: NSZone?) -> Any { copy() }
}

extension NSMutableArray {
  fileprivate var asComponents: [Any] { map { asComponent($0) } }
}

/// Converts `NSData` to `Data`.
private func asComponent(_ one: Any) -> Any {
  guard let data = one as? NSData else { return one }
  return Data._unconditionallyBridgeFromObjectiveC(data)
}
