// ListeningAddress — an address and a port, such as 127.0.0.1:9464 or [::1]:9464.

import Glibc

struct ListeningAddress {
  private let host: String
  private let port: UInt16
  private let isSix: Bool

  /// nil unless the text is a numeric address with a port, or a port alone, which means 127.0.0.1.
  init?(_ text: String) {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
      let port = UInt16(digits)
    else { return nil }
    self.port = port
    var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
    isSix = host.hasPrefix("[") && host.hasSuffix("]")
    if isSix { host = String(host.dropFirst().dropLast()) }
    self.host = host
    var bytes = in6_addr()
    guard inet_pton(isSix ? AF_INET6 : AF_INET, host, &bytes) == 1 else { return nil }
  }

  /// Opens a socket that listens at this address.
  func listen() throws(Refusal) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let socket = Glibc.socket(
      isSix ? AF_INET6 : AF_INET, type | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard socket >= 0 else { throw refusal("socket") }
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let error = isSix ? bindSix(socket) : bindFour(socket)
    guard error == 0, Glibc.listen(socket, 16) == 0 else { throw refusal("\(self)") }
    return socket
  }

  private func refusal(_ what: String) -> Refusal {
    Refusal(text: "\(what): \(String(cString: strerror(errno)))")
  }

  private func bindFour(_ socket: Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    return bind(socket, address)
  }

  private func bindSix(_ socket: Int32) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    inet_pton(AF_INET6, host, &address.sin6_addr)
    return bind(socket, address)
  }

  private func bind<Address>(_ socket: Int32, _ address: Address) -> Int32 {
    withUnsafeBytes(of: address) { bytes in
      // SAFETY: both kinds of address begin with the fields of `sockaddr`.
      let start = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return Glibc.bind(socket, start, socklen_t(bytes.count))
    }
  }

  /// The address as it is in a URL, with the port that the system gave the socket.
  func name(of socket: Int32) -> String {
    var storage = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let error = withUnsafeMutableBytes(of: &storage) { bytes in
      // SAFETY: as in `bind`.
      getsockname(socket, bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
    }
    // The port is at the same place in both kinds.
    let own = error == 0 ? UInt16(bigEndian: storage.sin6_port) : port
    return (isSix ? "[\(host)]" : host) + ":\(own)"
  }
}

extension ListeningAddress: CustomStringConvertible {
  var description: String { (isSix ? "[\(host)]" : host) + ":\(port)" }
}
