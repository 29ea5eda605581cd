// LineClients — starts the line server, talks to it as many clients, and ends it by SIGTERM.

import Glibc
import SignalboxDispatch
import SignalboxThreads

/// A client that blocks its thread.
private struct LineClient {
  private let descriptor: Int32

  init?(port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var address = loopback(port: port)
    // SAFETY: sockaddr_in is the sockaddr of its family.
    let connected = withUnsafeBytes(of: &address) {
      connect(
        descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self),
        socklen_t($0.count))
    }
    if connected == 0 { return }
    close(descriptor)
    return nil
  }

  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  func sendEnd() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Returns one line, or everything until the end.
  func receive(untilTheEnd: Bool) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      bytes.append(byte)
      if byte == UInt8(ascii: "\n") && !untilTheEnd { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func finish() { close(descriptor) }
}

/// Talks to the server on `port`, and sends its process SIGTERM at the end.
private func talk(to port: UInt16, of server: pid_t) {
  // A conversation.
  let one = LineClient(port: port)!
  one.send("hello\n")
  print("hello → \(one.receive(untilTheEnd: false))", terminator: "")

  // Sends more lines at once than the server keeps, and then ends.
  let many = LineClient(port: port)!
  let lines = (1...100).map { "line \($0)\n" }
  many.send(lines.joined())
  many.sendEnd()
  let answers = many.receive(untilTheEnd: true)
  print("100 lines → \(answers == lines.joined().uppercased() ? "100 answers in order" : answers)")
  many.finish()

  // Uses more clients than connections.
  let clients = (1...100).map { number in
    JoinableThread {
      let client = LineClient(port: port)!
      client.send("client \(number)\n")
      let isAnswered = client.receive(untilTheEnd: false) == "CLIENT \(number)\n"
      client.finish()
      return isAnswered
    }
  }
  for client in clients { client.start() }
  print("100 clients → \(clients.filter { $0.join() }.count) answers")

  // Sends a line that is too long.
  let long = LineClient(port: port)!
  long.send(String(repeating: "x", count: 100_000))
  print("a line of 100,000 bytes → \(long.receive(untilTheEnd: true).count) bytes")
  long.finish()

  // A connection is open, and its lines are not answered yet.
  one.send("a\nb\nc\n")
  print("a → \(one.receive(untilTheEnd: false))", terminator: "")
  kill(server, SIGTERM)
  let rest = one.receive(untilTheEnd: true)
  print("after SIGTERM → \(rest.split(separator: "\n").joined(separator: ", "))")
  one.finish()
  print("a new client → \(LineClient(port: port) == nil ? "refused" : "accepted")")
}

private func text(_ line: [CChar]) -> String {
  String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Runs the server in a process of its own, and records it into `recording` if given.
func talkToLineServer(recording: String?) {
  if let recording { setenv("SIGNALBOX_TRACE", recording, 1) }
  var ends: [Int32] = [-1, -1]
  precondition(pipe(&ends) == 0)
  _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
  var arguments = [strdup("ArticleProgram"), strdup("lines"), nil]
  var server = pid_t()
  let error = posix_spawn(&server, "/proc/self/exe", &actions, nil, &arguments, environ)
  precondition(error == 0)
  close(ends[1])
  let output = fdopen(ends[0], "r")!
  var line = [CChar](repeating: 0, count: 256)
  fgets(&line, Int32(line.count), output)
  let first = text(line)
  let port = UInt16(first.dropLast().split(separator: ":").last!)!
  talk(to: port, of: server)
  while fgets(&line, Int32(line.count), output) != nil { print(text(line), terminator: "") }
  var status: Int32 = 0
  waitpid(server, &status, 0)
  print("the server's status: \((status >> 8) & 0xFF), by signal: \(status & 0x7F)")
}
