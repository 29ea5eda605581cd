// ChildProgram — runs one of this package's programs and collects what it says.

import Glibc
import Testing

/// No run of a program, and no wait for an event, takes anywhere near so long; what
/// does is stuck.
let wedgeLimitSeconds = 120

struct ChildProgram {
  var output: String
  var errors: String
  /// The exit status, or 128 and the signal's number.
  var status: Int32

  struct Stuck: Error {}

  /// The folder that the test program was built into, with its siblings.
  static var buildFolder: String {
    get throws {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
      try #require(length > 0)
      let path = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      return String(path[..<path.lastIndex(of: "/")!])
    }
  }

  enum Input {
    case none
    case text(String)
  }

  /// Runs `program` until it ends. `shell` is put before it, as in `ulimit -f 10;`.
  /// With `onTerminal` its output goes to a terminal 60 columns wide.
  static func run(
    _ program: String, _ arguments: [String], input: Input = .none, shell: String = "",
    onTerminal: Bool = false
  ) throws -> ChildProgram {
    let path = try buildFolder + "/" + program
    try #require(access(path, X_OK) == 0, "\(path) has not been built")
    let command = ["/bin/sh", "-c", shell + " exec \"$0\" \"$@\"", path] + arguments
    let output = try onTerminal ? Channel.terminal() : Channel.sockets()
    let errors = try Channel.sockets()
    let standardInput = try Channel.sockets()

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, standardInput.reading, 0)
    posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
    posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
    var words = command.map { strdup($0) } + [nil]
    var surroundings = environment.map { strdup($0) } + [nil]
    defer { for word in words + surroundings { free(word) } }
    var process = pid_t()
    try #require(posix_spawn(&process, command[0], &actions, nil, &words, &surroundings) == 0)
    close(output.writing)
    close(errors.writing)
    close(standardInput.reading)
    if case .text(let text) = input {
      let bytes = Array(text.utf8)
      try #require(bytes.count < 4096, "a socket takes so much without a reader")
      #expect(write(standardInput.writing, bytes, bytes.count) == bytes.count)
    }
    close(standardInput.writing)

    let texts = collect(output.reading, errors.reading)
    if texts == nil { kill(process, SIGKILL) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard let texts else { throw Stuck() }
    let signal = status & 0x7f
    return ChildProgram(
      output: texts.0, errors: texts.1, status: signal == 0 ? status >> 8 & 0xff : 128 + signal)
  }

  /// Ours, without proxies, which would answer for addresses of this machine.
  static var environment: [String] {
    var result: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      let name = variable.prefix { $0 != "=" }.lowercased()
      if !name.hasSuffix("_proxy"), name != "no_color" { result.append(variable) }
      entry += 1
    }
    return result
  }

  /// Reads both until they end; nil if that takes too long.
  private static func collect(_ output: Int32, _ errors: Int32) -> (String, String)? {
    var texts: [Int32: [UInt8]] = [output: [], errors: []]
    var open: Set<Int32> = [output, errors]
    defer {
      close(output)
      close(errors)
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !open.isEmpty {
      var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let count = poll(&polled, nfds_t(polled.count), Int32(wedgeLimitSeconds * 1_000))
      if count == 0 { return nil }
      for one in polled where one.revents != 0 {
        let length = read(one.fd, &buffer, buffer.count)
        // A terminal whose other side has closed answers EIO.
        if length > 0 {
          texts[one.fd]! += buffer[..<length]
        } else if length == 0 || errno != EINTR {
          open.remove(one.fd)
        }
      }
    }
    return (
      String(decoding: texts[output]!, as: UTF8.self),
      String(decoding: texts[errors]!, as: UTF8.self)
    )
  }
}

private struct Channel {
  let reading: Int32
  let writing: Int32

  /// Closed in programs that other tests start at the same time, which would keep
  /// it open.
  static func sockets() throws -> Channel {
    var ends: [Int32] = [0, 0]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return Channel(reading: ends[0], writing: ends[1])
  }

  static func terminal() throws -> Channel {
    let terminal = try Terminal()
    return Channel(reading: terminal.side, writing: try terminal.open())
  }
}
