// LineServer — the program of "A server made of read sources": it answers lines on a TCP port.

import Glibc
import SignalboxDispatch
import SignalboxPatterns

// block: ServingSockets/database
/// Stands for a database: a call blocks its thread until the answer is there.
enum Database {
  static func answer(_ line: String) -> String {
    usleep(2000)  // the disk
    return line.uppercased()
  }
}
// end

// block: ServingSockets/limits
/// What a client can make the server hold.
enum Limit {
  static let connections = 64
  static let lines = 8  // of one connection, read and not answered
  static let lineLength = 4096
  static let queries = 4  // threads that wait for the database
}
// end

// block: ServingSockets/server
// SAFETY: only items of `queue` use the mutable state.
final class LineServer: @unchecked Sendable {
  let port: UInt16
  private let queue = DispatchQueue(label: "org.example.server")
  private let database = LimitedWorker(limit: Limit.queries, label: "org.example.database")
  private let listener: any DispatchSourceRead
  private let open = DispatchGroup()  // the listener and each connection
  private var connections: [Int32: Connection] = [:]
  private var isPaused = false
  private var isStopping = false

  init() throws(SocketError) {
    let socket = try listen()
    port = portNumber(of: socket)
    listener = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
    open.enter()
    listener.setEventHandler { [self] in acceptAll(on: socket) }
    listener.setCancelHandler { [open] in
      close(socket)
      open.leave()
    }
    listener.activate()
  }
}
// end

// block: ServingSockets/accept
extension LineServer {
  private func acceptAll(on socket: Int32) {
    while connections.count < Limit.connections {
      let descriptor = accept(socket, nil, nil)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        begin(descriptor)
      } else if errno == EAGAIN {
        return  // nobody else is waiting
      } else if errno != EINTR && errno != ECONNABORTED {
        break  // no descriptors or no memory are left
      }
    }
    isPaused = true
    listener.suspend()  // until a connection ends; others wait in the kernel
  }

  private func begin(_ descriptor: Int32) {
    open.enter()
    connections[descriptor] = Connection(descriptor, queue: queue, database: database) { [self] in
      connections[descriptor] = nil
      if isPaused && !isStopping {
        isPaused = false
        listener.resume()
      }
      open.leave()
    }
  }
}
// end

// block: ServingSockets/connection
/// One client. Only items of the server's queue use it.
// SAFETY: see above.
final class Connection: @unchecked Sendable {
  private let descriptor: Int32
  private let queue: DispatchQueue
  private let database: LimitedWorker
  private let source: any DispatchSourceRead
  private var received: [UInt8] = []  // bytes behind the last whole line
  private var lines: [String] = []  // read, and not yet with the database
  private var isBusy = false  // a line is with the database, or its answer is being sent
  private var isPaused = false
  private var isOver = false  // nothing more is read

  init(
    _ descriptor: Int32, queue: DispatchQueue, database: LimitedWorker,
    closed: @escaping () -> Void
  ) {
    self.descriptor = descriptor
    self.queue = queue
    self.database = database
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [self] in receive() }
    source.setCancelHandler {
      close(descriptor)
      closed()
    }
    source.activate()
  }
}
// end

// block: ServingSockets/receive
extension Connection {
  private func receive() {
    var buffer = Array(repeating: UInt8(0), count: 1024)
    let count = read(descriptor, &buffer, buffer.count)
    if count > 0 {
      received += buffer[..<count]
      takeLines()
    } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
      stopReading()
    }
    proceed()
  }

  private func takeLines() {
    while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(String(decoding: received[..<end], as: UTF8.self))
      received.removeSubrange(...end)
    }
    if received.count > Limit.lineLength { stopReading() }
  }
}
// end

// block: ServingSockets/proceed
extension Connection {
  /// Has the next line answered, pauses or continues reading, or closes the
  /// connection.
  private func proceed() {
    if !isBusy, !lines.isEmpty { answer(lines.removeFirst()) }
    setPaused(isOver || lines.count >= Limit.lines)
    if isOver && !isBusy {
      source.cancel()
      setPaused(false)  // a suspended source calls no cancel handler
    }
  }

  private func setPaused(_ pause: Bool) {
    if pause == isPaused { return }
    isPaused = pause
    if pause { source.suspend() } else { source.resume() }
  }

  /// Reads nothing more. Lines that were read are answered.
  func stopReading() {
    isOver = true
  }
}
// end

// block: ServingSockets/answer
extension Connection {
  private func answer(_ line: String) {
    isBusy = true
    database.enqueueWork { [self] in
      let answer = Database.answer(line) + "\n"  // on a thread of the pool, which it blocks
      let data = Array(answer.utf8).withUnsafeBytes { DispatchData(bytes: $0) }
      DispatchIO.write(
        toFileDescriptor: descriptor, data: data, runningHandlerOn: queue
      ) { [self] _, error in
        isBusy = false
        if error != 0 {  // the client has gone
          lines = []
          stopReading()
        }
        proceed()
      }
    }
  }
}
// end

// block: ServingSockets/stop
extension LineServer {
  /// Accepts no more, answers the lines that were read, and calls `end`.
  func stop(within limit: DispatchTimeInterval, end: @escaping @Sendable (Int32) -> Void) {
    queue.async { [self] in
      if isStopping { return }
      isStopping = true
      listener.cancel()
      if isPaused { listener.resume() }
      for connection in connections.values { connection.stop() }
      open.notify(queue: queue) { end(EXIT_SUCCESS) }
      queue.asyncAfter(deadline: .now() + limit) { end(EXIT_FAILURE) }
    }
  }
}

extension Connection {
  func stop() {
    stopReading()
    proceed()
  }
}
// end

// block: ServingSockets/listen
/// A call of the system that has failed.
struct SocketError: Error {
  let call: String
  let code: Int32
}

/// A listening, non-blocking socket on this machine, at a port that the kernel chooses.
func listen() throws(SocketError) -> Int32 {
  let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | O_CLOEXEC
  let descriptor = socket(AF_INET, kind, 0)
  if descriptor < 0 { throw SocketError(call: "socket", code: errno) }
  var address = loopback(port: 0)
  let size = socklen_t(MemoryLayout<sockaddr_in>.size)
  // SAFETY: sockaddr_in is the sockaddr of its family.
  let bound = withUnsafeBytes(of: &address) {
    bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), size)
  }
  if bound != 0 { throw SocketError(call: "bind", code: errno) }
  if Glibc.listen(descriptor, 128) != 0 { throw SocketError(call: "listen", code: errno) }
  return descriptor
}
// end

func loopback(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  return address
}

func portNumber(of descriptor: Int32) -> UInt16 {
  var address = sockaddr_in()
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  // SAFETY: sockaddr_in is the sockaddr of its family.
  _ = withUnsafeMutableBytes(of: &address) {
    getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
  }
  return UInt16(bigEndian: address.sin_port)
}

func serveLines() throws -> Never {
  // block: ServingSockets/main
  let server = try LineServer()
  let terminate = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  terminate.setEventHandler {
    server.stop(within: .seconds(10)) { status in
      print(status == EXIT_SUCCESS ? "all lines are answered" : "some lines are not answered")
      exit(status)
    }
  }
  terminate.activate()
  print("listening on 127.0.0.1:\(server.port)")
  fflush(nil)  // for whoever reads it through a pipe
  dispatchMain()
  // end
}
