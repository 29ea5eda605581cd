// ChildProcess — run a program to its end and keep what it printed.

import Glibc

/// What a child process left behind.
public struct ChildProcess: Sendable {
  /// How the child ended.
  public enum End: Sendable, Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// The child could not be started: the call and its error number.
  public struct StartFailure: Error, CustomStringConvertible {
    public let call: String
    public let code: Int32
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  public let end: End
  public let standardOutput: String
  public let standardError: String

  /// Runs `program` with `arguments` and waits for its end. May be called from
  /// any thread; blocks it. The crash reporter of the Swift runtime is switched
  /// off in the child: where a trap is expected, its report would only cost
  /// seconds.
  public static func run(_ program: String, _ arguments: [String]) throws -> ChildProcess {
    let output = try CapturedStream()
    let error = try CapturedStream()

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.descriptor, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, error.descriptor, STDERR_FILENO)

    var strings = ([program] + arguments).map { strdup($0) } + [nil]
    var environment = inheritedEnvironment().map { strdup($0) }
    environment += [strdup("SWIFT_BACKTRACE=enable=no"), nil]
    defer { for string in strings + environment { free(string) } }

    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, nil, &strings, &environment)
    guard code == 0 else { throw StartFailure(call: "posix_spawn", code: code) }

    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw StartFailure(call: "waitpid", code: errno) }
    }
    let signal = status & 0x7f
    return ChildProcess(
      end: signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal),
      standardOutput: output.text(), standardError: error.text())
  }

  private static func inheritedEnvironment() -> [String] {
    var result: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if !line.hasPrefix("SWIFT_BACKTRACE=") { result.append(line) }
      entry += 1
    }
    return result
  }
}

/// A nameless file a child writes to. A pipe would need a reader beside the
/// wait, or a talkative child would stop at a full one.
private struct CapturedStream: ~Copyable {
  let descriptor: Int32

  init() throws {
    var template = Array("/tmp/listings-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw ChildProcess.StartFailure(call: "mkstemp", code: errno)
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(template)
  }

  func text() -> String {
    lseek(descriptor, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  deinit { close(descriptor) }
}
