// Port — an end of a channel between threads: its delegate handles messages on the thread of a
// run loop.

public import FoundationEssentials
import SignalboxRuntime

/// Receives messages from any thread of the process. A delegate handles them on the thread of
/// the run loop that you add the port to.
///
/// ```swift
/// final class Printer: PortDelegate {
///   func handle(_ message: PortMessage) { print("message", message.msgid) }
/// }
/// let (port, printer) = (Port(), Printer())
/// port.setDelegate(printer)
/// RunLoop.main.add(port, forMode: .default)
/// Thread { port.send(before: .distantFuture, msgid: 1000, components: nil, from: nil, reserved: 0) }
///   .start()
/// ```
///
/// Messages of one sender are handled in the order in which they were sent. A port may be in
/// several modes and in several loops; each message is handled by one of them. A loop retains its
/// ports. A port without a loop keeps up to 256 messages, until you add it to a loop. Call all
/// functions from any thread.
///
/// A port frees its unhandled messages when it is freed. Ports in each other's unhandled
/// messages, or in their own, keep each other alive until you call ``invalidate()`` on one of
/// them.
///
/// A message to a running loop costs no system call; a message to a sleeping loop costs one.
///
/// *Differences*: in the toolchain you can only create socket ports. On Apple's systems, this
/// class is a kernel port, which reaches other processes; for that, use ``SocketPort``.
///
/// Source: Apple's documentation of `Port`.
open class Port: @unchecked Sendable {  // SAFETY: `mail` never changes, and has its own lock.
  let mail: PortMail

  /// Creates a port of this process.
  public init() {
    mail = PortInbox()
    mail.belongs(to: self)
  }

  init(_ mail: PortMail) {
    self.mail = mail
    mail.belongs(to: self)
  }

  deinit { mail.invalidate() }

  /// Invalidates the port. It leaves its loops, its waiting messages are freed, and `send`
  /// returns `false` from now on, even to threads that already wait for room.
  ///
  /// Call it from any thread, any number of times. A delegate that is handling a message finishes.
  open func invalidate() {
    guard mail.invalidate() else { return }
    mail.leaveAllLoops(self)
    PortHook.invalidated(self)
  }

  /// Whether the port is still valid.
  open var isValid: Bool { mail.isValid }

  // MARK: Receiving

  /// Sets the object that handles messages from now on. The port does not retain it.
  ///
  /// Without a delegate, the loop drops messages; the port warns once.
  open func setDelegate(_ anObject: (any PortDelegate)?) { mail.currentDelegate = anObject }

  /// The object that handles messages, if it still exists.
  open func delegate() -> (any PortDelegate)? { mail.currentDelegate }

  /// Adds the port to a mode of a loop, or to all common modes. Has no effect on an invalid port.
  ///
  /// `RunLoop.add(_:forMode:)` calls this once for each mode. Override it, with
  /// ``remove(from:forMode:)``, in a port that receives in its own way.
  open func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    mail.add(to: runLoop.loop, CFRunLoopMode(mode))
  }

  /// Removes the port from a mode of a loop, or from all common modes if it was added to them.
  open func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    mail.remove(from: runLoop.loop, CFRunLoopMode(mode))
  }

  // MARK: Sending

  /// The number of bytes to reserve before a message: always 0.
  open var reservedSpaceLength: Int { 0 }

  /// Sends a message with the `msgid` 0. See
  /// ``send(before:msgid:components:from:reserved:)-(_,_,[Any]?,_,_)``.
  ///
  /// - Parameters:
  ///   - limitDate: how long to wait if the port has no room.
  ///   - components: an array of `Data` and ports, or `nil`.
  ///   - receivePort: the port for answers.
  ///   - headerSpaceReserved: ignored.
  /// - Returns: whether the message was sent.
  @discardableResult
  open func send(
    before limitDate: Date, components: [Any]?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    send(
      before: limitDate, msgid: 0, components: components, from: receivePort,
      reserved: headerSpaceReserved)
  }

  /// Sends a message to this port, whose delegate will handle it.
  ///
  /// If the port is full, the caller sleeps until there is room or the date has passed. A
  /// thread that fills a port of its own loop waits for itself, and so always times out. A
  /// component that is neither `Data` nor a port traps; so does a number that does not fit in
  /// 32 bits.
  ///
  /// - Parameters:
  ///   - limitDate: how long to wait if the port has no room. It does not matter otherwise,
  ///     even if it has passed.
  ///   - msgID: what the message is about, as agreed between the two sides.
  ///   - components: an array of `Data` and ports, or `nil`.
  ///   - receivePort: the port for answers, which the receiver sees as ``PortMessage/sendPort``.
  ///   - headerSpaceReserved: ignored.
  /// - Returns: whether the message was sent; `false` if the date has passed or the port is
  ///   invalid.
  @discardableResult
  open func send(
    before limitDate: Date, msgid msgID: Int, components: [Any]?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    mail.put(
      Envelope(msgID, components, answers: receivePort, to: self),
      until: PortLimit(date: limitDate))
  }

  // MARK: As a value

  /// Returns the port itself.
  open func copy() -> Any { self }

  func isSame(as other: Port) -> Bool { self === other }

  func hashIdentity(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var words: String { "<\(type(of: self)): \(isValid ? "valid" : "invalid")>" }

  /// The class of the port, and whether the port is valid.
  open var description: String { words }
}

extension Port: Hashable, CustomStringConvertible {
  public static func == (a: Port, b: Port) -> Bool { a.isSame(as: b) }

  public func hash(into hasher: inout Hasher) { hashIdentity(into: &hasher) }
}
