// ListeningSocket — a listening, non-blocking socket on the loopback address.

import Glibc

/// A call of the system that has failed.
struct SystemCallFailure: Error, CustomStringConvertible {
  let call: String
  let code: Int32

  var description: String { "\(call): errno \(code)" }
}

struct ListeningSocket: Sendable {
  let descriptor: Int32

  /// As many connections as a burst opens at once wait in the kernel.
  private static let backlog: Int32 = 512

  /// - Parameter port: the port; with 0 the kernel chooses one.
  init(port: UInt16) throws {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | O_CLOEXEC
    descriptor = socket(AF_INET, kind, 0)
    if descriptor < 0 { throw SystemCallFailure(call: "socket", code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    // SAFETY: sockaddr_in is the sockaddr of its family.
    let bound = withUnsafeBytes(of: &address) {
      bind(number, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size)
    }
    if bound != 0 { throw SystemCallFailure(call: "bind", code: errno) }
    if listen(descriptor, ListeningSocket.backlog) != 0 {
      throw SystemCallFailure(call: "listen", code: errno)
    }
  }

  /// The port on which it listens.
  var port: UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // SAFETY: sockaddr_in is the sockaddr of its family.
    _ = withUnsafeMutableBytes(of: &address) {
      getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
