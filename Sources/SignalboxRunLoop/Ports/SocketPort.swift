// SocketPort — a port that other processes reach, on this machine or on others.

import CSignalbox
public import FoundationEssentials
import SignalboxRuntime

/// The descriptor of a socket.
public typealias SocketNativeHandle = Int32

/// A port that uses a socket, for messages from this process and from others.
///
/// ```swift
/// // One process: listens, and hands each message to its delegate.
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
/// Everything that ``Port`` describes also applies here. A component is `Data` or another
/// socket port; any other port traps, because other processes cannot reach it. A message may be
/// up to 16 MiB long; the port does not send a larger one, and warns. The sender does not
/// learn whether a message arrived or was handled: messages in transit are lost when the other
/// side ends. Messages of one sender through one port keep their order.
///
/// The port checks what arrives. If a sender ends in the middle of a message, sends a message that
/// is too large, or sends anything other than messages, the port closes the connection, warns once
/// and keeps working. **There is neither authentication nor encryption**: anyone who can connect
/// can send. For a private port, bind to the loopback address, or use the family `AF_UNIX` in a
/// private directory.
///
/// A listening port uses four descriptors, plus one for each sender; a connecting port uses one
/// after its first message. A port belongs to the process that created it: a forked child must
/// create its own.
///
/// *Differences*: the bytes differ from those of Apple's and the toolchain's socket ports, so
/// both sides must use this library. Only sockets of the type `SOCK_STREAM` work.
///
/// Source: Apple's documentation of `SocketPort`.
open class SocketPort: Port, @unchecked Sendable {  // SAFETY: see `Port`.
  private var inbox: SocketInbox { unsafeDowncast(mail, to: SocketInbox.self) }

  var signature: SocketSignature { inbox.signature }

  // MARK: Ports of this process

  /// Creates a port that listens on a TCP port that the system chooses.
  ///
  /// Traps if the system refuses; see ``init(tcpPort:)``.
  public convenience override init() {
    switch SocketPort.listening(SocketPort.anywhere(0)) {
    case .success(let inbox): self.init(inbox)
    case .failure(let refusal):
      environmentFailure(
        "listen", refusal.error,
        "a SocketPort cannot be created; use init?(tcpPort:) if the program can work without one.")
    }
  }

  /// Creates a port that listens on a TCP port, on all addresses of the machine.
  ///
  /// - Parameter port: the TCP port number, or 0 to let the system choose.
  /// - Returns: `nil` if the system refuses, for example because another process listens there.
  public convenience init?(tcpPort port: UInt16) {
    self.init(optional: SocketPort.listening(SocketPort.anywhere(port)))
  }

  /// Creates a port that listens at an address.
  ///
  /// - Parameters:
  ///   - family: the family of the address: `AF_INET`, `AF_INET6`, `AF_UNIX`.
  ///   - type: `SOCK_STREAM`.
  ///   - protocol: the protocol, or 0 for the family's default.
  ///   - address: the address in the system's layout, such as a `sockaddr_in`. The file of an
  ///     `AF_UNIX` address stays when the port ends.
  /// - Returns: `nil` if the system refuses.
  public convenience init?(
    protocolFamily family: Int32, socketType type: Int32, protocol: Int32, address: Data
  ) {
    let signature = SocketSignature(
      family: family, type: type, protocol: `protocol`, address: address)
    self.init(optional: SocketPort.listening(signature))
  }

  /// Creates a port from a bound socket, and makes the socket listen.
  ///
  /// The port owns the socket from now on: it makes the socket nonblocking, and closes it when
  /// the port ends.
  ///
  /// - Parameters:
  ///   - family: the family of the socket's address.
  ///   - type: `SOCK_STREAM`.
  ///   - protocol: the protocol of the socket.
  ///   - sock: the socket.
  /// - Returns: `nil` if the socket cannot listen, in which case you still own it.
  public convenience init?(
    protocolFamily family: Int32, socketType type: Int32, protocol: Int32,
    socket sock: SocketNativeHandle
  ) {
    guard csb_socket_listen_on(sock) == 0 else { return nil }
    self.init(
      optional: .success(SocketPort.inbox(of: sock, family, type, `protocol`)))
  }

  // MARK: Ports of other processes

  /// Creates a port that sends to a port of another process, which listens at a TCP port of a
  /// machine.
  ///
  /// This call looks up the name, which may take seconds. The first message opens the connection.
  ///
  /// - Parameters:
  ///   - port: the TCP port number.
  ///   - hostName: the machine's name or address, or `nil` for this machine.
  /// - Returns: `nil` if the name does not exist.
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

  /// Creates a port that sends to a port of another process, which listens at an address. The first
  /// message opens the connection.
  ///
  /// - Parameters:
  ///   - family: the family of the address.
  ///   - type: `SOCK_STREAM`.
  ///   - protocol: the protocol, or 0 for the family's default.
  ///   - address: the address in the system's layout.
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

  // MARK: Address

  /// The family of the address.
  open var protocolFamily: Int32 { signature.family }
  /// The type of the socket.
  open var socketType: Int32 { signature.type }
  /// The protocol of the socket.
  open var `protocol`: Int32 { signature.protocol }
  /// The listening address, in the system's layout.
  open var address: Data { signature.address }

  /// The listening socket; for a port of another process, the connection, or -1 if there is
  /// none. The port owns the socket.
  open var socket: SocketNativeHandle {
    inbox.listener >= 0 ? inbox.listener : inbox.outlet.socket
  }

  // MARK: As a port

  // These members do what `Port`'s do. They are declared here, as in the toolchain's class, so that
  // programs that list or wrap its members find them.

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

  /// Two socket ports are equal if they have the same address.
  override func isSame(as other: Port) -> Bool {
    self === other || (other as? SocketPort)?.signature == signature
  }

  override func hashIdentity(into hasher: inout Hasher) { hasher.combine(signature) }

  override var words: String { inbox.words }

  // MARK: Creation

  private struct Refusal: Error { let error: Int32 }

  private static var stream: Int32 { 1 }
  private static var internet: Int32 { 2 }
  private static var tcp: Int32 { 6 }

  /// The IPv4 wildcard address.
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
