// PortMessage — what ports send each other.

public import FoundationEssentials

/// A message from one port to another: a number, and components.
///
/// ```swift
/// let message = PortMessage(sendPort: main, receivePort: mine, components: [Data("ready".utf8)])
/// message.msgid = 1000
/// message.send(before: Date(timeIntervalSinceNow: 1))
/// ```
///
/// Who receives it gets another object, whose ``sendPort`` is the port to answer to. One object
/// is for one thread at a time.
///
/// *Differences*: the components are of `Any`, as Apple's; the toolchain's are of `AnyObject`.
///
/// Source: Apple's documentation of `PortMessage`.
open class PortMessage {
  /// What the message is about, as the two sides have agreed; 0 unless it is set.
  open var msgid: UInt32 = 0

  /// In order: each a `Data` or a ``Port``; `nil` or empty for none.
  open var components: [Any]? { contents }

  /// The same, from a module whose own hides the name.
  package final let contents: [Any]?

  /// Of a message that came: the port to which it came. Of one to send: the port to which
  /// answers are to go.
  open private(set) var receivePort: Port?

  /// Of a message that came: the port to answer to, if there is one. Of one to send: the port
  /// to which it goes.
  open private(set) var sendPort: Port?

  /// Makes a message.
  ///
  /// - Parameters:
  ///   - sendPort: where it is to go.
  ///   - replyPort: where answers are to go.
  ///   - components: each a `Data` or a ``Port``.
  public init(sendPort: Port?, receivePort replyPort: Port?, components: [Any]?) {
    self.sendPort = sendPort
    self.receivePort = replyPort
    contents = components
  }

  /// Sends it. See ``Port/send(before:msgid:components:from:reserved:)-(_,_,[Any]?,_,_)``.
  ///
  /// - Parameter date: until when to wait where the other port has no room.
  /// - Returns: whether it was sent; `false`, too, if it has no ``sendPort``.
  @discardableResult
  open func send(before date: Date) -> Bool {
    guard let sendPort else { return false }
    return sendPort.send(
      before: date, msgid: Int(msgid), components: components, from: receivePort,
      reserved: sendPort.reservedSpaceLength)
  }

  /// Another message of the same content.
  open func copy() -> Any {
    let copy = PortMessage(sendPort: sendPort, receivePort: receivePort, components: contents)
    copy.msgid = msgid
    return copy
  }

  /// The number, and how many components there are.
  open var description: String {
    "<PortMessage: \(msgid), \(components?.count ?? 0) components>"
  }
}

extension PortMessage: Hashable, CustomStringConvertible {
  public static func == (a: PortMessage, b: PortMessage) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
