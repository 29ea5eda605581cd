// Port — an end of a channel between threads: what is sent to it, its delegate handles on the
// thread of a loop.

public import FoundationEssentials
import SignalboxRuntime

/// What messages are sent to, from any thread of the process, to be handled on the thread of
/// the run loop that the port was added to.
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
/// several modes, and in several loops, of which one takes each message. A loop that has a
/// port keeps it; a port without a loop keeps its messages, up to 256, for the one that it is
/// added to. All functions may be called from any thread.
///
/// What nobody has handled is freed with the port. Ports that stand in each other's unhandled
/// messages, or in their own, keep each other: they are freed only by ``invalidate()`` of one.
///
/// A message to a loop that runs costs no system call, one to a loop that sleeps a single one.
///
/// *Differences*: in the toolchain only socket ports can be made. On Apple's systems this
/// makes a port of the kernel's, which reaches other processes; for these see ``SocketPort``.
///
/// Source: Apple's documentation of `Port`.
open class Port: @unchecked Sendable {  // SAFETY: `mail` never changes, and guards itself.
  let mail: PortMail

  /// Makes a port of this process.
  public init() {
    mail = PortInbox()
    mail.belongs(to: self)
  }

  init(_ mail: PortMail) {
    self.mail = mail
    mail.belongs(to: self)
  }

  deinit { mail.invalidate() }

  /// Ends the port, from any thread, and again freely: it leaves its loops, what waits is
  /// freed, and whoever waits for room, or sends from now on, is told `false`.
  ///
  /// A delegate that is handling a message goes on to its end.
  open func invalidate() {
    guard mail.invalidate() else { return }
    mail.leaveAllLoops(self)
    PortHook.invalidated(self)
  }

  /// Whether it was not invalidated.
  open var isValid: Bool { mail.isValid }

  // MARK: Receiving

  /// Has `anObject` handle the messages from now on. The port does not keep it.
  ///
  /// Without a delegate a message is dropped when a loop comes to it; that is said once for each
  /// port.
  open func setDelegate(_ anObject: (any PortDelegate)?) { mail.currentDelegate = anObject }

  /// Who handles the messages, while it is there.
  open func delegate() -> (any PortDelegate)? { mail.currentDelegate }

  /// Adds the port to a mode of a loop, or to all common ones. An invalid one is not added.
  ///
  /// `RunLoop.add(_:forMode:)` calls this once for each mode. Override it, and
  /// ``remove(from:forMode:)``, in a port that has its own way to receive.
  open func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    mail.add(to: runLoop.loop, CFRunLoopMode(mode))
  }

  /// Removes the port from a mode of a loop, or from all common ones if it was added to them.
  open func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    mail.remove(from: runLoop.loop, CFRunLoopMode(mode))
  }

  // MARK: Sending

  /// How much room to leave in front of a message: none.
  open var reservedSpaceLength: Int { 0 }

  /// Sends a message with the `msgid` 0. See
  /// ``send(before:msgid:components:from:reserved:)-(_,_,[Any]?,_,_)``.
  ///
  /// - Parameters:
  ///   - limitDate: until when to wait where the port has no room.
  ///   - components: each a `Data` or a port; or `nil`.
  ///   - receivePort: where answers are to go.
  ///   - headerSpaceReserved: of no consequence.
  /// - Returns: whether it was sent.
  @discardableResult
  open func send(
    before limitDate: Date, components: [Any]?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    send(
      before: limitDate, msgid: 0, components: components, from: receivePort,
      reserved: headerSpaceReserved)
  }

  /// Sends a message to this port: its delegate will handle it.
  ///
  /// If as many messages wait as the port takes, so does the caller, in the system, until
  /// there is room: a thread that fills its own loop's port would wait for itself, to the end of
  /// its time. A component that is neither `Data` nor a port traps, and so does a number that
  /// is not of 32 bits.
  ///
  /// - Parameters:
  ///   - limitDate: until when to wait where the port has no room. Where it has, a date that
  ///     has passed does not matter.
  ///   - msgID: what the message is about, as the two sides have agreed.
  ///   - components: each a `Data` or a port; or `nil`.
  ///   - receivePort: where answers are to go: the received message's
  ///     ``PortMessage/sendPort``.
  ///   - headerSpaceReserved: of no consequence.
  /// - Returns: whether it was sent; `false` if the time was over, or the port is invalid.
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

  /// The port itself: it is one thing.
  open func copy() -> Any { self }

  func isSame(as other: Port) -> Bool { self === other }

  func hashIdentity(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var words: String { "<\(type(of: self)): \(isValid ? "valid" : "invalid")>" }

  /// The class, and whether it is valid.
  open var description: String { words }
}

extension Port: Hashable, CustomStringConvertible {
  public static func == (a: Port, b: Port) -> Bool { a.isSame(as: b) }

  public func hash(into hasher: inout Hasher) { hashIdentity(into: &hasher) }
}
