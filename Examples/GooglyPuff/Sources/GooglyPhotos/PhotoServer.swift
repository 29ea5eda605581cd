// PhotoServer — a small web server on 127.0.0.1 that is as slow as one far away.
//
// A read source accepts connections. Each connection has a read source of its own, which reads the
// request; `asyncAfter` sends the answer piece by piece. No thread waits.
//
// Touching  everything that varies: in items of `queue` only.

import Glibc
import SignalboxDispatch

// SAFETY: what varies is confined to the serial queue `queue`.
final class PhotoServer: @unchecked Sendable {
  struct Photo: Sendable {
    let name: String
    // SAFETY: constant memory of the program, never freed.
    nonisolated(unsafe) let bytes: UnsafeRawBufferPointer
    /// How long the server thinks before it answers.
    let delay: DispatchTimeInterval
  }

  /// One piece after each pause: about 800 KB a second.
  static let piece = 32 << 10
  static let pause = DispatchTimeInterval.milliseconds(40)
  /// A connection that is silent for so long, or takes nothing, is closed.
  static let silence = DispatchTimeInterval.seconds(20)
  private static let mostConnections = 64

  let port: UInt16
  private let queue = DispatchQueue(label: "GooglyPuff.leInternet", qos: .userInitiated)
  private let photos: [String: Photo]
  private let source: any DispatchSourceRead
  private var connections: Set<PhotoConnection> = []

  /// Listens on a free port.
  init(photos: [Photo]) throws(PhotoFailure) {
    self.photos = Dictionary(uniqueKeysWithValues: photos.map { ("/\($0.name)", $0) })
    let (listener, port) = try Self.listen()
    self.port = port
    source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
    source.setEventHandler { [weak self] in self?.accept(from: listener) }
    source.setCancelHandler { close(listener) }
    source.activate()
  }

  deinit {
    source.cancel()
  }

  private static func listen() throws(PhotoFailure) -> (listener: Int32, port: UInt16) {
    let flags = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let listener = socket(AF_INET, Int32(flags), 0)
    guard listener >= 0 else { throw .system(doing: "make a socket", code: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listens = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && Glibc.listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard listens else {
      let code = errno
      close(listener)
      throw .system(doing: "listen on 127.0.0.1", code: code)
    }
    return (listener, UInt16(bigEndian: address.sin_port))
  }

  private func accept(from listener: Int32) {
    while true {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      _ = fcntl(socket, F_SETFL, O_NONBLOCK)
      guard connections.count < Self.mostConnections else {
        close(socket)
        continue
      }
      let connection = PhotoConnection(
        socket: socket, queue: queue, find: { [photos] in photos[$0] },
        ended: { [weak self] in self?.connections.remove($0) })
      connections.insert(connection)
      connection.start()
    }
  }
}
