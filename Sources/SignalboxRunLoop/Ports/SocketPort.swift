// SocketPort — a port that other processes reach, of this machine or of others.

import CSignalbox
public import FoundationEssentials
import SignalboxRuntime

/// The number of a socket.
public typealias SocketNativeHandle = Int32

/// A port that is reached through a socket, from this process and from others.
///
/// ```swift
/// // One process: listens, and hands what comes to its delegate.
/// let port = SocketPort(tcpPort: 7777)!
/// port.setDelegate(server)
/// RunLoop.main.add(port, forMode: .default)
///
/// // Another: connects when it first sends, and is answered on a port of its own.
/// let (server, mine) = (SocketPort(remoteWithTCPPort: 7777, host: "localhost")!, SocketPort())
/// server.send(
///   before: Date(timeIntervalSinceNow: 5), msgid: 1, components: [question], from: mine,
///   reserved: 0)
/// ```
///
/// What stands of ``Port`` holds for it. A component is `Data` or another socket port; any
/// other port traps, since nobody could reach it. A message may have 16 megabytes; a larger one
/// is not sent, and said. Whether a message was handled, or has arrived, the sender does not
/// learn: what was sent when the other side ended is lost. Messages of one sender through one
/// port keep their order.
///
/// What comes is checked: a sender that ends in the middle of a message, that sends one which
/// is too large, or anything else than messages, loses its connection; that is said once for
/// each port, and the port goes on. **There is neither a password nor a cipher**: who can
/// connect can send. Bind a port that is not for others to the loopback's address, or use the
/// family `AF_UNIX` in a folder that is not for others.
///
/// A port that listens has four descriptors, and one for each sender; one that connects has one
/// as soon as something was sent. A port is for the process that made it: a forked child makes
/// its own.
///
/// *Differences*: the bytes are not those of Apple's or the toolchain's socket ports, so both
/// sides use this library. Only sockets of the type `SOCK_STREAM` will do.
///
/// Source: Apple's documentation of `SocketPort`.
open class SocketPort: Port, @unchecked Sendable {  // SAFETY: as `Port`.
  private var inbox: SocketInbox { unsafeDowncast(mail, to: SocketInbox.self) }

  var signature: SocketSignature { inbox.signature }

  // MARK: Ports of this process

  /// Makes a port that listens for TCP connections, at a number that the system chooses.
  ///
  /// Traps if the system refuses that; see ``init(tcpPort:)``.
  public convenience override init() {
    switch SocketPort.listening(SocketPort.anywhere(0)) {
    case .success(let inbox): self.init(inbox)
    case .failure(let refusal):
      environmentFailure(
        "listen", refusal.error,
        "a SocketPort cannot be made; use init?(tcpPort:) where the program can do without.")
    }
  }

  /// Makes a port that listens for TCP connections at a number, on all of the machine's
  /// addresses.
  ///
  /// - Parameter port: the number; 0 for one that the system chooses.
  /// - Returns: `nil` if the system refuses it, as when another process listens there.
  public convenience init?(tcpPort port: UInt16) {
    self.init(optional: SocketPort.listening(SocketPort.anywhere(port)))
  }

  /// Makes a port that listens at an address.
  ///
  /// - Parameters:
  ///   - family: the family of the address: `AF_INET`, `AF_INET6`, `AF_UNIX`.
  ///   - type: `SOCK_STREAM`.
  ///   - protocol: the protocol, or 0 for the family's own.
  ///   - address: as the system lays it out: a `sockaddr_in` and so on. The file that an
  ///     address of the family `AF_UNIX` makes stays when the port ends.
  /// - Returns: `nil` if the system refuses it.
  public convenience init?(
    protocolFamily family: Int32, socketType type: Int32, protocol: Int32, address: Data
  ) {
    let signature = SocketSignature(
      family: family, type: type, protocol: `protocol`, address: address)
    self.init(optional: SocketPort.listening(signature))
  }

  /// Makes a port of a socket that is bound already, and has that listen.
  ///
  /// The socket is the port's from now on, which closes it when it ends. It is set not to wait.
  ///
  /// - Parameters:
  ///   - family: the family of its address.
  ///   - type: `SOCK_STREAM`.
  ///   - protocol: its protocol.
  ///   - sock: the socket.
  /// - Returns: `nil` if it cannot listen: then it is the caller's still.
  public convenience init?(
    protocolFamily family: Int32, socketType type: Int32, protocol: Int32,
    socket sock: SocketNativeHandle
  ) {
    guard csb_socket_listen_on(sock) == 0 else { return nil }
    self.init(
      optional: .success(SocketPort.inbox(of: sock, family, type, `protocol`)))
  }

  // MARK: Ports of other processes

  /// Makes a port that stands for one that listens at a number of a machine's.
  ///
  /// The name is looked up here, which may take seconds; the connection is made by the first
  /// message.
  ///
  /// - Parameters:
  ///   - port: the number.
  ///   - hostName: the machine's name or address; `nil` for this one.
  /// - Returns: `nil` if there is no such name.
  public convenience init?(remoteWithTCPPort port: UInt16, host hostName: String?) {
    var family: Int32 = 0
    var address = [UInt8](repeating: 0, count: SocketSignature.addressLimit)
    let size = csb_socket_look_up(hostName, port, &family, &address, address.count)
    guard size > 0 else { return nil }
    self.init(
      SocketSignature(
        family: family, type: SocketPort.stream, protocol: SocketPort.tcp,
        address: Data(address[..<size])))
  }

  /// Makes a port that stands for one that listens at an address; the connection is made by
  /// the first message.
  ///
  /// - Parameters:
  ///   - family: the family of the address.
  ///   - type: `SOCK_STREAM`.
  ///   - protocol: the protocol, or 0 for the family's own.
  ///   - address: as the system lays it out.
  public convenience init(
    remoteWithProtocolFamily family: Int32, socketType type: Int32, protocol: Int32,
    address: Data
  ) {
    self.init(
      SocketSignature(family: family, type: type, protocol: `protocol`, address: address))
  }

  convenience init(_ signature: SocketSignature) {
    self.init(SocketInbox(signature, listener: nil))
  }

  // MARK: What it is

  /// The family of its address.
  open var protocolFamily: Int32 { signature.family }
  /// The type of its socket.
  open var socketType: Int32 { signature.type }
  /// The protocol of its socket.
  open var `protocol`: Int32 { signature.protocol }
  /// Where it listens, as the system lays it out.
  open var address: Data { signature.address }

  /// The socket that listens; of a port of another process the connection, or -1 while there
  /// is none. It is the port's.
  open var socket: SocketNativeHandle {
    inbox.listener >= 0 ? inbox.listener : inbox.outlet.socket
  }

  // MARK: As a port

  // What follows does what `Port` does. It stands here because the toolchain's class has
  // these members of its own, which programs that list or wrap them find.

  open override func invalidate() { super.invalidate() }

  open override var isValid: Bool { super.isValid }

  open override func setDelegate(_ anObject: (any PortDelegate)?) { super.setDelegate(anObject) }

  open override func delegate() -> (any PortDelegate)? { super.delegate() }

  open override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    super.schedule(in: runLoop, forMode: mode)
  }

  open override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    super.remove(from: runLoop, forMode: mode)
  }

  @discardableResult
  open override func send(
    before limitDate: Date, components: [Any]?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    super.send(
      before: limitDate, components: components, from: receivePort, reserved: headerSpaceReserved)
  }

  @discardableResult
  open override func send(
    before limitDate: Date, msgid msgID: Int, components: [Any]?, from receivePort: Port?,
    reserved headerSpaceReserved: Int
  ) -> Bool {
    super.send(
      before: limitDate, msgid: msgID, components: components, from: receivePort,
      reserved: headerSpaceReserved)
  }

  /// Two are the same that are reached at the same address.
  override func isSame(as other: Port) -> Bool {
    self === other || (other as? SocketPort)?.signature == signature
  }

  override func hashIdentity(into hasher: inout Hasher) { hasher.combine(signature) }

  override var words: String { inbox.words }

  // MARK: Making one

  private struct Refusal: Error { let error: Int32 }

  private static var stream: Int32 { 1 }
  private static var internet: Int32 { 2 }
  private static var tcp: Int32 { 6 }

  /// The address of the Internet that names no machine.
  private static func anywhere(_ port: UInt16) -> SocketSignature {
    var address = Data(count: 16)
    let family = UInt16(internet)
    withUnsafeBytes(of: family) { address.replaceSubrange(0..<2, with: $0) }
    withUnsafeBytes(of: port.bigEndian) { address.replaceSubrange(2..<4, with: $0) }
    return SocketSignature(family: internet, type: stream, protocol: tcp, address: address)
  }

  private static func listening(_ wanted: SocketSignature) -> Result<SocketInbox, Refusal> {
    let socket = wanted.address.withUnsafeBytes { address in
      csb_socket_listen(
        wanted.family, wanted.type, wanted.protocol,
        address.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, address.count)
    }
    if socket < 0 { return .failure(Refusal(error: -socket)) }
    return .success(inbox(of: socket, wanted.family, wanted.type, wanted.protocol))
  }

  private static func inbox(
    of socket: Int32, _ family: Int32, _ type: Int32, _ protocol: Int32
  ) -> SocketInbox {
    var address = [UInt8](repeating: 0, count: SocketSignature.addressLimit)
    let size = max(0, csb_socket_address(socket, &address, address.count))
    return SocketInbox(
      SocketSignature(
        family: family, type: type, protocol: `protocol`, address: Data(address[..<size])),
      listener: socket)
  }

  private convenience init?(optional inbox: Result<SocketInbox, Refusal>) {
    guard case .success(let inbox) = inbox else { return nil }
    self.init(inbox)
  }
}
