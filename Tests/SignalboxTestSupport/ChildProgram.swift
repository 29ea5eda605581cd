// ChildProgram — runs an executable built beside the tests and reports how it ended.
//
// Scenarios that count threads, wake-ups or exits run in a program of their own, which does
// not load the testing library.

import CSystemCalls
package import Glibc
package import ProgramScenarios

package struct ChildProgram: Sendable {
  package enum Exit: Equatable, Sendable {
    case code(Int32)
    case signal(Int32)
  }

  package struct Outcome: Sendable {
    package let exit: Exit
    package let standardOutput: String
    package let standardError: String
    package let usage: rusage

    /// The `name=value` lines of the standard output.
    package var facts: [String: String] {
      var facts: [String: String] = [:]
      for line in standardOutput.split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { facts[String(parts[0])] = String(parts[1]) }
      }
      return facts
    }
  }

  package let path: String

  /// Finds an executable of the package beside the running one.
  package init(_ name: String) throws {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard length > 0 else { throw SystemCallFailure(call: "readlink", code: errno) }
    let own = String(decoding: buffer[0..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let folder = own[..<(own.lastIndex(of: "/") ?? own.startIndex)]
    path = "\(folder)/\(name)"
    guard access(path, X_OK) == 0 else {
      throw SystemCallFailure(call: "access \(path)", code: errno)
    }
  }

  /// Names an executable by its full path.
  package init(path: String) { self.path = path }

  /// Runs the program until it ends. Kills a program that outlives `life`; `exit` then shows the
  /// signal, and the standard error ends with what the program waited for.
  package func run(
    _ arguments: [String] = [], environment changes: [String: String] = [:],
    life: Duration = RealTime.life
  ) throws -> Outcome {
    let (process, output, errors) = try start(arguments, environment: changes)
    defer {
      close(output)
      close(errors)
    }
    let (standardOutput, standardError) = readAll(output, errors, of: process, for: life)
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw SystemCallFailure(call: "wait4", code: errno) }
    }
    WedgeDetector.childHasEnded()
    let signal = status & 0x7F
    return Outcome(
      exit: signal == 0 ? .code((status >> 8) & 0xFF) : .signal(signal),
      standardOutput: standardOutput, standardError: standardError, usage: usage)
  }

  /// Runs a scenario in the program that has it, as `run(_:environment:)` does.
  package static func run(
    _ scenario: any ProgramScenario, _ arguments: [String] = [],
    environment changes: [String: String] = [:]
  ) throws -> Outcome {
    try ChildProgram(type(of: scenario).program).run(
      [scenario.rawValue] + arguments, environment: changes)
  }

  /// Starts the program and returns the reading ends of its streams.
  func start(
    _ arguments: [String], environment changes: [String: String]
  ) throws -> (process: pid_t, output: Int32, errors: Int32) {
    let output = try Self.makePipe()
    defer { close(output.write) }
    let errors: (read: Int32, write: Int32)
    do { errors = try Self.makePipe() } catch {
      close(output.read)
      throw error
    }
    defer { close(errors.write) }
    do {
      let process = try spawn(
        arguments, environment: changes, output: output.write, errors: errors.write)
      return (process, output.read, errors.read)
    } catch {
      close(output.read)
      close(errors.read)
      throw error
    }
  }

  /// Makes a pipe that is close-on-exec from the beginning. Otherwise a child that another
  /// thread starts at the same time would inherit the writing end and keep the reader waiting.
  private static func makePipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let error = csc_pipe(&ends)
    guard error == 0 else { throw SystemCallFailure(call: "pipe", code: error) }
    return (ends[0], ends[1])
  }

  private func spawn(
    _ arguments: [String], environment changes: [String: String], output: Int32, errors: Int32
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

    // The thread that runs a test may block signals, and whoever started the tests may have them
    // ignored, as a shell does in the background. A child would inherit both.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    var variables: [String] = []
    var place = environ
    while let text = place.pointee {
      let variable = String(cString: text)
      let name = variable.prefix { $0 != "=" }
      if changes[String(name)] == nil { variables.append(variable) }
      place += 1
    }
    variables += changes.map { "\($0.key)=\($0.value)" }

    var argumentPointers = ([path] + arguments).map { strdup($0) } + [nil]
    var variablePointers = variables.map { strdup($0) } + [nil]
    defer {
      argumentPointers.forEach { free($0) }
      variablePointers.forEach { free($0) }
    }
    var process = pid_t()
    let result = posix_spawn(
      &process, path, &actions, &attributes, &argumentPointers, &variablePointers)
    guard result == 0 else { throw SystemCallFailure(call: "posix_spawn \(path)", code: result) }
    return process
  }

  /// Reads both streams until they end, and kills a program that outlives its time.
  private func readAll(
    _ output: Int32, _ errors: Int32, of process: pid_t, for life: Duration
  ) -> (String, String) {
    let deadline = Uptime.now() + life
    var texts: [Int32: [UInt8]] = [output: [], errors: []]
    var open: Set<Int32> = [output, errors]
    var chunk = [UInt8](repeating: 0, count: 65536)
    while !open.isEmpty {
      let left = deadline.since(Uptime.now())
      if left <= .zero {
        texts[errors]! += Array(explanation(of: process).utf8)
        kill(process, SIGKILL)
        break
      }
      var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let wait = Int32(min(left.wholeNanoseconds / 1_000_000 + 1, 1_000_000))
      if poll(&polled, nfds_t(polled.count), wait) < 0 { continue }
      for entry in polled where entry.revents != 0 {
        let count = read(entry.fd, &chunk, chunk.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { open.remove(entry.fd) } else { texts[entry.fd]! += chunk[0..<count] }
      }
    }
    return (
      String(decoding: texts[output]!, as: UTF8.self),
      String(decoding: texts[errors]!, as: UTF8.self)
    )
  }

  /// What a program that does not end waits for. If its threads have changed often and used much of the
  /// processor, it is slow and not stuck.
  private func explanation(of process: pid_t) -> String {
    var lines = ["the program was still running after its time"]
    // `signalbox` is built for the tests that use it. If it does not end itself, that is not asked of another one.
    if !path.hasSuffix("/signalbox"),
      let report = try? ChildProgram("signalbox").run(
        ["report", "\(process)"], life: RealTime.wedge)
    {
      lines.append(report.standardOutput + report.standardError)
    }
    lines += ThreadCensus.threads(of: process).map { "thread \($0)" }
    return lines.joined(separator: "\n") + "\n"
  }
}
