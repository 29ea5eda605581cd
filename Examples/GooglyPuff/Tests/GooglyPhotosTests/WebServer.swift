// WebServer — answers requests on 127.0.0.1 as a test tells it to.

import Glibc
import Testing

final class WebServer {
  enum Answer: Sendable {
    case file([UInt8])
    case status(Int)
    /// Says that more bytes follow than do.
    case cutShort([UInt8])
    case redirect(to: String)
  }

  let port: UInt16
  private let listener: Int32
  private let thread: TestThread

  /// `answer` is called with the path of each request, on the connection's own
  /// thread, and may block.
  init(answer: @escaping @Sendable (String) -> Answer) throws {
    let (listener, port) = try Self.listen()
    (self.listener, self.port) = (listener, port)
    thread = try TestThread {
      var connections: [TestThread] = []
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { break }
        let served = try? TestThread {
          Self.serve(connection, answer)
          close(connection)
        }
        if let served { connections.append(served) }
      }
      for connection in connections { connection.join() }
    }
  }

  /// Ends the server; returns when no connection is left.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    thread.join()
    close(listener)
  }

  func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// A socket that listens on a free port; whoever connects waits for an answer.
  static func listen() throws -> (listener: Int32, port: UInt16) {
    let (listener, port) = try reserve()
    try #require(Glibc.listen(listener, 16) == 0)
    return (listener, port)
  }

  /// A socket that has a port to itself and does not listen: whoever connects is refused.
  static func reserve() throws -> (socket: Int32, port: UInt16) {
    let owner = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(owner >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let outcome = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(owner, address, length) == 0 && getsockname(owner, address, &length) == 0
      }
    }
    try #require(outcome)
    return (owner, UInt16(bigEndian: address.sin_port))
  }

  private static func serve(_ connection: Int32, _ answer: (String) -> Answer) {
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let end = Array("\r\n\r\n".utf8)
    while request.suffix(4) != end[...] {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count <= 0 { return }
      request += buffer[..<count]
    }
    let words = String(decoding: request, as: UTF8.self).split(separator: " ")
    guard words.count > 1 else { return }
    switch answer(String(words[1])) {
    case .file(let bytes):
      send(connection, "HTTP/1.0 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n", bytes)
    case .cutShort(let bytes):
      send(connection, "HTTP/1.0 200 OK\r\nContent-Length: \(bytes.count * 2)\r\n\r\n", bytes)
    case .status(let status):
      send(connection, "HTTP/1.0 \(status) No\r\nContent-Length: 0\r\n\r\n", [])
    case .redirect(let address):
      send(connection, "HTTP/1.0 302 Found\r\nLocation: \(address)\r\n\r\n", [])
    }
  }

  private static func send(_ connection: Int32, _ head: String, _ body: [UInt8]) {
    var rest = (Array(head.utf8) + body)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// A thread that waits for the outside, which no queue's item should.
final class TestThread {
  private final class Body {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private var thread = pthread_t()

  init(_ run: @escaping @Sendable () -> Void) throws {
    // SAFETY: retained here, released by the thread, which takes it once.
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    let outcome = pthread_create(
      &thread, nil,
      { body in
        // SAFETY: retained for this thread by whoever started it.
        Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
        return nil
      }, body)
    try #require(outcome == 0)
  }

  func join() {
    pthread_join(thread, nil)
  }
}
