// Port+Foundation — what ports have of Foundation's types: arrays of components, zones, the
// equality of `NSObject`.

public import Foundation
public import SignalboxRunLoop

extension SignalboxRunLoop.Port: NSCopying {
  /// The port itself: it is one thing.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Sends a message whose components are in an array of Foundation's. See
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

  /// Sends a message whose components are in an array of Foundation's: each a `Data`, an
  /// `NSData` or a port.
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
  /// Of the address: equal for ports that are reached at the same one.
  public var hash: Int { hashValue }

  /// Whether the other is a port that is reached at the same address.
  public func isEqual(_ object: Any?) -> Bool { (object as? Port) == self }
}

extension SignalboxRunLoop.PortMessage: NSCopying {
  /// Makes a message of components that are objects: each an `NSData` or a port.
  @_disfavoredOverload
  public convenience init(
    sendPort: Port?, receivePort replyPort: Port?, components: [AnyObject]?
  ) {
    let values: [Any]? = components.map { $0.map { asComponent($0) } }
    self.init(sendPort: sendPort, receivePort: replyPort, components: values)
  }

  /// In order: each an `NSData` or a `Port`; `nil` or empty for none.
  ///
  /// Source: Apple's documentation of `PortMessage.components`.
  @_disfavoredOverload
  public var components: [AnyObject]? {
    contents.map { $0.map { ($0 as? Data)?._bridgeToObjectiveC() ?? $0 as AnyObject } }
  }

  /// Another message of the same content.
  public func copy(with zone: NSZone?) -> Any { copy() }
}

extension NSMutableArray {
  fileprivate var asComponents: [Any] { map { asComponent($0) } }
}

/// Data is data, of whichever type.
private func asComponent(_ one: Any) -> Any {
  guard let data = one as? NSData else { return one }
  return Data._unconditionallyBridgeFromObjectiveC(data)
}
