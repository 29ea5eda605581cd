// MetricsServer — serves one page over HTTP, to a few clients at a time.
//
// One thread, which never waits for a client: a client that is slow, silent or sends too much loses its
// connection when its time is over. Each connection has one request.

import CSignalboxTool
import Glibc
import SignalboxInspector

struct MetricsServer {
  /// The address and the port.
  let name: String
  private let socket: Int32
  private var clients: [Client] = []

  /// The maximum number of clients at a time. Others wait in the kernel's queue while it has room.
  private static let most = 16
  /// How long a client may take, in nanoseconds.
  private static let limit: UInt = 5_000_000_000
  /// How long to wait for clients before the caller looks after its processes, in milliseconds.
  private static let pause: Int32 = 1000

  private struct Client {
    let socket: Int32
    let end: UInt
    var request: [UInt8] = []
    /// What is left to be sent; nil before there is a whole request.
    var response: ArraySlice<UInt8>?
    /// How many bytes arrived after the request. They mean nothing.
    var extra = 0

    var isAnswered: Bool { response?.isEmpty == true }
  }

  init(at address: ListeningAddress) throws(Refusal) {
    socket = try address.listen()
    name = address.name(of: socket)
  }

  /// Serves for a moment.
  mutating func serve(_ metrics: () -> String) {
    var polled = clients.map { client in
      let isSending = client.response != nil && !client.isAnswered
      return pollfd(fd: client.socket, events: Int16(isSending ? POLLOUT : POLLIN), revents: 0)
    }
    let accepts = clients.count < MetricsServer.most
    if accepts { polled.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
    guard csb_tool_poll(&polled, UInt(polled.count), MetricsServer.pause) >= 0 else { return }
    let now = csb_tool_uptime()
    for index in clients.indices.reversed() {
      let isReady = polled[index].revents != 0
      let goesOn = isReady ? MetricsServer.advance(&clients[index], metrics) : true
      if !goesOn || clients[index].end < now {
        close(clients[index].socket)
        clients.remove(at: index)
      }
    }
    if accepts, polled.last?.revents != 0 { acceptClient(now) }
  }

  private mutating func acceptClient(_ now: UInt) {
    let client = csb_tool_accept(socket)
    if client < 0 {
      // Too many descriptors: the client stays in the kernel's queue.
      if errno == EMFILE || errno == ENFILE { csb_tool_poll(nil, 0, 100) }
      return
    }
    clients.append(Client(socket: client, end: now + MetricsServer.limit))
  }

  /// - Returns: whether the connection goes on.
  private static func advance(_ client: inout Client, _ metrics: () -> String) -> Bool {
    if let response = client.response, !response.isEmpty { return send(response, to: &client) }
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = recv(client.socket, &piece, piece.count, 0)
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    if count == 0 { return false }
    if client.isAnswered {
      // Read and discard these bytes: closing a socket with unread bytes would reset the
      // connection, and the client might lose the answer.
      client.extra += count
      return client.extra < 1 << 20
    }
    client.request += piece[..<count]
    let end = HTTPRequestHead.end(in: client.request)
    if end == nil && client.request.count < HTTPRequestHead.limit { return true }
    let head = end.flatMap { $0 <= HTTPRequestHead.limit ? $0 : nil }
      .flatMap { HTTPRequestHead(client.request[..<$0]) }
    client.request = []
    return send(HTTPResponse(to: head, metrics).bytes[...], to: &client)
  }

  private static func send(_ bytes: ArraySlice<UInt8>, to client: inout Client) -> Bool {
    let count = bytes.withUnsafeBytes {
      Glibc.send(client.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count < 0 && errno != EAGAIN && errno != EINTR { return false }
    client.response = bytes.dropFirst(max(0, count))
    if client.isAnswered { shutdown(client.socket, Int32(SHUT_WR)) }
    return true
  }
}
