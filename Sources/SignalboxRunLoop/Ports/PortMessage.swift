// PortMessage — a message between ports.

public import FoundationEssentials

/// A message from one port to another: a number, and components.
///
/// ```swift
/// let message = PortMessage(sendPort: main, receivePort: mine, components: [Data("ready".utf8)])
/// message.msgid = 1000
/// message.send(before: Date(timeIntervalSinceNow: 1))
/// ```
///
/// The receiver gets another object, whose ``sendPort`` is the port to answer to. Use one
/// object on one thread at a time.
///
/// *Differences*: the components have the type `Any`, as in Apple's class; the toolchain uses
/// `AnyObject`.
///
/// Source: Apple's documentation of `PortMessage`.
open class PortMessage {
  /// What the message is about, as agreed between the two sides. The default is 0.
  open var msgid: UInt32 = 0

  /// The components in order, each a `Data` or a ``Port``; `nil` or empty if there are none.
  open var components: [Any]? { contents }

  /// The components, under a name that a module with its own `components` can use.
  package final let contents: [Any]?

  /// For a received message, the port that received it. For a message to send, the port for
  /// answers.
  open private(set) var receivePort: Port?

  /// For a received message, the port for answers, if there is one. For a message to send, the
  /// port that receives it.
  open private(set) var sendPort: Port?

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - sendPort: the port that receives the message.
  ///   - replyPort: the port for answers.
  ///   - components: an array of `Data` and ``Port``.
  public init(sendPort: Port?, receivePort replyPort: Port?, components: [Any]?) {
    self.sendPort = sendPort
    self.receivePort = replyPort
    contents = components
  }

  /// Sends the message. See ``Port/send(before:msgid:components:from:reserved:)-(_,_,[Any]?,_,_)``.
  ///
  /// - Parameter date: how long to wait if the receiving port has no room.
  /// - Returns: whether the message was sent; also `false` if it has no ``sendPort``.
  @discardableResult
  open func send(before date: Date) -> Bool {
    guard let sendPort else { return false }
    return sendPort.send(
      before: date, msgid: Int(msgid), components: components, from: receivePort,
      reserved: sendPort.reservedSpaceLength)
  }

  /// Returns another message with the same contents.
  open func copy() -> Any {
    let copy = PortMessage(sendPort: sendPort, receivePort: receivePort, components: contents)
    copy.msgid = msgid
    return copy
  }

  /// The number and the count of components.
  open var description: String {
    "<PortMessage: \(msgid), \(components?.count ?? 0) components>"
  }
}

extension PortMessage: Hashable, CustomStringConvertible {
  public static func == (a: PortMessage, b: PortMessage) -> Bool { a === b }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
