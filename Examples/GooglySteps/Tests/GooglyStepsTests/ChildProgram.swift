// ChildProgram — runs a program of this package and collects what it says.

import Glibc
import Testing

struct ChildProgram {
  /// Its standard output, line by line.
  var lines: [String]
  /// Its standard error.
  var errors: String
  /// The exit status, or 128 and the signal's number.
  var status: Int32

  /// Seconds. No run takes anywhere near so long; what does is stuck.
  private static let wedge: Int32 = 120

  /// Runs it until it ends, in a folder of its own.
  static func run(_ name: String, recordingTo recording: String? = nil) throws -> ChildProgram {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    try #require(length > 0)
    let own = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = own[..<own.lastIndex(of: "/")!] + "/" + name
    try #require(access(String(path), X_OK) == 0, "\(path) has not been built")
    return try withFolder { folder in
      let (output, errors) = ("\(folder)/output", "\(folder)/errors")
      // By the shell, which puts a limit to it: `timeout` ends what is stuck.
      let words = ["timeout", "-s", "KILL", "\(wedge)", String(path)]
      let status = try spawn(words, recording, output, errors)
      return ChildProgram(
        lines: try read(output).split(separator: "\n").map(String.init),
        errors: try read(errors), status: status)
    }
  }

  /// A folder of the test's own, for as long as the test runs.
  static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var name = Array("/tmp/GooglySteps.XXXXXX".utf8CString)
    try #require(mkdtemp(&name) != nil)
    let folder = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      for file in ["output", "errors", "recording.json"] { unlink("\(folder)/\(file)") }
      rmdir(folder)
    }
    return try body(folder)
  }

  static func read(_ path: String) throws -> String {
    let file = try #require(fopen(path, "r"), "\(path) cannot be read")
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 {
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func spawn(
    _ words: [String], _ recording: String?, _ output: String, _ errors: String
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    // The thread that runs a test may block signals, and a child inherits that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments = words.map { strdup($0) } + [nil]
    var surroundings = environment(recording).map { strdup($0) } + [nil]
    defer { for word in arguments + surroundings { free(word) } }
    var process = pid_t()
    try #require(
      posix_spawnp(&process, words[0], &actions, &attributes, &arguments, &surroundings) == 0)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? status >> 8 & 0xff : 128 + signal
  }

  private static func environment(_ recording: String?) -> [String] {
    var result = recording.map { ["SIGNALBOX_TRACE=\($0)"] } ?? []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !variable.hasPrefix("SIGNALBOX_TRACE=") { result.append(variable) }
      entry += 1
    }
    return result
  }
}
