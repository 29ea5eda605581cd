// PhotoConnection — one connection of the server of "Le Internet": one request, one slow answer.
//
// States    reading → answering → ended; an error or a client that goes away leads to ended.
// Touching  everything that varies: in items of the server's queue only.

import Glibc
import SignalboxDispatch

// SAFETY: what varies is confined to the server's queue.
final class PhotoConnection: @unchecked Sendable {
  private let socket: Int32
  private let queue: DispatchQueue
  private let source: any DispatchSourceRead
  private let find: (String) -> PhotoServer.Photo?
  private let ended: (PhotoConnection) -> Void
  private var request: [UInt8] = []
  private var answers = false
  /// Sent first.
  private var head: ArraySlice<UInt8> = []
  private var body: Slice<UnsafeRawBufferPointer>?
  /// When a byte last came or went.
  private var lastByte = DispatchTime.now()
  private var isOver = false

  /// More than any browser's or libcurl's.
  private static let longestRequest = 8 << 10

  init(
    socket: Int32, queue: DispatchQueue, find: @escaping (String) -> PhotoServer.Photo?,
    ended: @escaping (PhotoConnection) -> Void
  ) {
    self.socket = socket
    self.queue = queue
    self.find = find
    self.ended = ended
    source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
  }

  func start() {
    source.setEventHandler { [weak self] in self?.read() }
    source.setCancelHandler { [socket] in close(socket) }
    source.activate()
    watch()
  }

  private func end() {
    guard !isOver else { return }
    isOver = true
    source.cancel()
    ended(self)
  }

  /// Ends the connection after a silence.
  private func watch() {
    queue.asyncAfter(deadline: lastByte + PhotoServer.silence) { [weak self] in
      guard let self, !isOver else { return }
      if lastByte + PhotoServer.silence <= .now() { end() } else { watch() }
    }
  }

  // MARK: - The request

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !isOver {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      // The client has gone.
      guard count > 0 else { return end() }
      // One request: what follows it is ignored.
      if answers { continue }
      lastByte = .now()
      request += buffer[..<count]
      guard request.count <= Self.longestRequest else { return end() }
      if String(decoding: request, as: UTF8.self).contains("\r\n\r\n") { answer() }
    }
  }

  private func answer() {
    answers = true
    let line = String(decoding: request.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
      return send(status: "400 Bad Request", after: .milliseconds(0))
    }
    guard words[0] == "GET" || words[0] == "HEAD" else {
      return send(status: "405 Method Not Allowed", after: .milliseconds(0))
    }
    guard let photo = find(String(words[1])) else {
      return send(status: "404 Not Found", after: .milliseconds(500))
    }
    send(status: "200 OK", photo, withBody: words[0] == "GET", after: photo.delay)
  }

  // MARK: - The answer

  private func send(
    status: String, _ photo: PhotoServer.Photo? = nil, withBody: Bool = false,
    after delay: DispatchTimeInterval
  ) {
    var lines = [
      "HTTP/1.1 \(status)", "Content-Length: \(photo?.bytes.count ?? 0)", "Connection: close",
      "X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin",
    ]
    if let photo {
      lines.append("Content-Type: \(photo.name.hasSuffix(".png") ? "image/png" : "image/jpeg")")
    }
    head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)[...]
    if withBody { body = photo.map { $0.bytes[...] } }
    sendPiece(after: delay)
  }

  private func sendPiece(after delay: DispatchTimeInterval) {
    queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self, !isOver else { return }
      if sendPiece() { sendPiece(after: PhotoServer.pause) } else { end() }
    }
  }

  /// Sends what the socket takes of the next piece. Whether there is more to send.
  private func sendPiece() -> Bool {
    if !head.isEmpty {
      guard let sent = send(head.withUnsafeBytes { $0[...] }) else { return false }
      head = head.dropFirst(sent)
      return !head.isEmpty || body?.isEmpty == false
    }
    guard let rest = body, let sent = send(rest.prefix(PhotoServer.piece)) else { return false }
    body = rest.dropFirst(sent)
    return !rest.dropFirst(sent).isEmpty
  }

  /// How many of the bytes the socket took; nil if the client has gone.
  private func send(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    if count < 0 { return errno == EAGAIN || errno == EINTR ? 0 : nil }
    lastByte = .now()
    return count
  }
}

extension PhotoConnection: Hashable {
  static func == (one: PhotoConnection, other: PhotoConnection) -> Bool { one === other }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
