// ServerProgram — the app, running as a child, with a folder for temporary files of its own.

import Glibc
import Testing

final class ServerProgram {
  let folder: TemporaryFolder
  let port: UInt16
  let process: pid_t
  /// The end that its standard output is read from, or typed to where that is a terminal.
  private let output: Int32
  private var hasEnded = false

  /// Starts `GooglyPuff serve` and returns when it has said its address. With `terminal` it
  /// belongs to that.
  init(_ arguments: [String] = [], terminal: Terminal? = nil) throws {
    folder = try TemporaryFolder()
    let path = try ChildProgram.buildFolder + "/GooglyPuff"
    try #require(access(path, X_OK) == 0, "\(path) has not been built")
    var ends: [Int32] = [terminal?.side ?? 0, -1]
    if terminal == nil {
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    }
    output = ends[0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let terminal {
      posix_spawn_file_actions_addopen(&actions, 1, terminal.path, O_RDWR, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    }
    // Threads that run tests block signals, and a child begins as the thread that starts it.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // The first terminal that the leader of a session opens is the session's.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | (terminal == nil ? 0 : Terminal.newSession)))
    var words = ([path, "serve"] + arguments).map { strdup($0) } + [nil]
    var surroundings =
      (ChildProgram.environment.filter { !$0.hasPrefix("TMPDIR=") } + ["TMPDIR=\(folder.path)"])
      .map { strdup($0) } + [nil]
    defer { for word in words + surroundings { free(word) } }
    var process = pid_t()
    try #require(posix_spawn(&process, path, &actions, &attributes, &words, &surroundings) == 0)
    self.process = process
    if terminal == nil { close(ends[1]) }
    let line = Self.read(output, until: "\n").replacing("\r\n", with: "\n")
    try #require(
      line.hasPrefix("GooglyPuff: http://127.0.0.1:") && line.hasSuffix("/\n"), "\(line)")
    port = try #require(UInt16(line.dropFirst("GooglyPuff: http://127.0.0.1:".count).dropLast(2)))
  }

  deinit {
    if !hasEnded { _ = end(SIGKILL) }
    close(output)
  }

  /// What it says from here on until it has said `text`, or to its end.
  func says(until text: String) -> String { Self.read(output, until: text) }

  func type(_ text: String) throws {
    let bytes = Array(text.utf8)
    try #require(write(output, bytes, bytes.count) == bytes.count)
  }

  private static func read(_ output: Int32, until text: String) -> String {
    let end = Array(text.utf8)
    var said: [UInt8] = []
    var byte: UInt8 = 0
    while said.suffix(end.count) != end[...], Glibc.read(output, &byte, 1) == 1 {
      said.append(byte)
    }
    return String(decoding: said, as: UTF8.self)
  }

  /// Sends a signal (none if it is 0) and waits; the exit status, or 128 and the signal's number.
  func end(_ signal: Int32) -> Int32 {
    hasEnded = true
    kill(process, signal)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  /// How many entries a folder of the kernel's has for the program: `fd`, `task`.
  func count(_ name: String) throws -> Int {
    let stream = try #require(opendir("/proc/\(process)/\(name)"))
    defer { closedir(stream) }
    var count = 0
    while let entry = readdir(stream) {
      if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }

  /// Resident memory, in KiB.
  func memory() throws -> Int {
    let text = String(decoding: try bytes(of: "/proc/\(process)/status"), as: UTF8.self)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.split(separator: " ")[1]))
  }

  // MARK: - Requests

  struct Answer {
    var status = 0
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  func connect() throws -> WebClient { try WebClient(port: port) }

  /// A request in a connection of its own. Headers that are given replace ours of that name.
  func ask(
    _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
  ) throws -> Answer {
    let client = try connect()
    try client.send(request(method, target, headers: headers, body: body))
    return try #require(try client.answer(to: method), "no answer to \(method) \(target)")
  }

  struct Unanswered: Error { let method, target: String }

  /// A request to a server that ends requests after a second, as often as it takes: a busy machine
  /// may hold up even a small one for that long.
  func askUntilAnswered(
    _ method: String, _ target: String, body: [UInt8]? = nil
  ) throws -> Answer {
    for _ in 0..<wedgeLimitSeconds {
      let client = try connect()
      guard try client.send(request(method, target, body: body)) else { continue }
      if let answer = try client.answer(to: method) { return answer }
    }
    throw Unanswered(method: method, target: target)
  }

  private func get(_ target: String, untilAnswered: Bool) throws -> Answer {
    try untilAnswered ? askUntilAnswered("GET", target) : ask("GET", target)
  }

  func request(
    _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
  ) -> [UInt8] {
    var lines = ["Host: 127.0.0.1:\(port)"]
    if method != "GET" { lines.append("X-GooglyPuff: 1") }
    if let body {
      lines += ["Content-Type: application/octet-stream", "Content-Length: \(body.count)"]
    }
    let names = headers.map { $0.prefix { $0 != ":" }.lowercased() }
    lines.removeAll { line in names.contains(line.prefix { $0 != ":" }.lowercased()) }
    let head = ["\(method) \(target) HTTP/1.1"] + lines + headers.filter { !$0.hasSuffix(":-") }
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
  }

  func upload(_ body: [UInt8], name: String = "a.jpg", headers: [String] = []) throws -> Answer {
    try ask("POST", "/photos?name=\(name)", headers: headers, body: body)
  }

  /// The state, once it holds `text`, or so many of it: asked for as the page asks. What has not
  /// changed for so long on however busy a machine does not change any more. A server that ends
  /// requests after a second is asked until it answers.
  func state(with text: String, times: Int = 1, untilAnswered: Bool = false) throws -> String {
    var state = try get("/state", untilAnswered: untilAnswered).text
    var unchanged = 0
    while state.ranges(of: text).count < times {
      let version = try #require(state.values(of: "{\"version\":", upTo: ",").first)
      let target = "/state?after=\(version)&wait=20"
      let next = try get(target, untilAnswered: untilAnswered).text
      unchanged = next.hasPrefix("{\"version\":\(version),") ? unchanged + 1 : 0
      try #require(unchanged < 15, "\(text) never came: \(next)")
      state = next
    }
    return state
  }
}

extension ServerProgram {
  /// No photo that was refused stays, in the gallery or on the disk.
  func expectNothingStored(untilAnswered: Bool = false) throws {
    let state = try get("/state", untilAnswered: untilAnswered).text
    #expect(state.contains("\"photos\":[]"))
    eventually { try folder.contents().isEmpty }
  }
}

extension String {
  func values(of prefix: String, upTo end: Character) -> [String] {
    ranges(of: prefix).map { String(self[$0.upperBound...].prefix { $0 != end }) }
  }
}

/// One connection, byte by byte.
final class WebClient {
  private let connection: Int32
  private var rest: [UInt8] = []

  init(port: UInt16) throws {
    connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(connection >= 0)
    var limit = timeval(tv_sec: wedgeLimitSeconds, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(outcome == 0)
  }

  deinit {
    close(connection)
  }

  /// Sends what the other side takes; false if it has closed.
  @discardableResult
  func send(_ bytes: [UInt8]) throws -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// The next answer; nil if the other side closed without one.
  func answer(to method: String = "GET") throws -> ServerProgram.Answer? {
    while true {
      guard let end = try fill(until: { $0.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound })
      else { return nil }
      var answer = ServerProgram.Answer()
      let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
      answer.status = Int(lines[0].split(separator: " ")[1]) ?? 0
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        answer.headers[parts[0].lowercased()] = parts.count < 2 ? "" : String(parts[1].dropFirst())
      }
      rest.removeFirst(end)
      if answer.status == 100 { continue }
      let hasBody = method != "HEAD" && answer.status != 204
      let length = hasBody ? Int(answer.headers["content-length"] ?? "0") ?? 0 : 0
      guard try fill(until: { $0.count >= length ? length : nil }) != nil else { return nil }
      answer.body = Array(rest[..<length])
      rest.removeFirst(length)
      return answer
    }
  }

  /// Whether the other side closes, whatever it says before.
  func isClosed() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      if count == 0 || (count < 0 && errno == ECONNRESET) { return true }
      if count < 0, errno != EINTR { return false }
    }
  }

  /// How many bytes come, read one by one, until the other side closes.
  func countBytes() -> Int {
    var byte: UInt8 = 0
    var count = 0
    while true {
      let outcome = recv(connection, &byte, 1, 0)
      if outcome < 0, errno == EINTR { continue }
      if outcome <= 0 { return count }
      count += 1
    }
  }

  /// Whether something is there to be read.
  var hasAnswer: Bool {
    var byte: UInt8 = 0
    return recv(connection, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
  }

  func endSending() { shutdown(connection, Int32(SHUT_WR)) }

  private func fill(until found: ([UInt8]) -> Int?) throws -> Int? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let place = found(rest) { return place }
      let count = recv(connection, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0 { try #require(errno == ECONNRESET || errno == EPIPE, "errno \(errno)") }
      if count <= 0 { return nil }
      rest += buffer[..<count]
    }
  }
}
