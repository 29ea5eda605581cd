// Program — one of this package's programs, run to its end.

import Dispatch
import Foundation

struct Program {
  /// The longest life of a program, in seconds. One that outlives it is killed with its children.
  static let life = 300.0

  let name: String

  /// What a run left.
  struct Run {
    let output: String
    let errors: String
    let status: Int32
    /// Whether a signal ended the program.
    let isCrash: Bool
  }

  /// Runs the program with these additional variables.
  func run(_ arguments: [String] = [], _ variables: [String: String] = [:]) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SIGNALBOX_") }
    // Under ThreadSanitizer, a child may have threads of its own, and nobody waits at the end.
    let sanitizer = "\(own["TSAN_OPTIONS"] ?? ""):die_after_fork=0:atexit_sleep_ms=0"
    process.environment = own.merging(variables) { $1 }.merging([
      "SWIFT_BACKTRACE": "enable=no", "TSAN_OPTIONS": sanitizer,
    ]) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let group = -process.processIdentifier
    let end = DispatchWorkItem { kill(group, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.life, execute: end)
    defer { end.cancel() }
    // Neither stream is larger than a pipe's buffer.
    let said = [output, errors].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return Run(
      output: said[0], errors: said[1], status: process.terminationStatus,
      isCrash: process.terminationReason == .uncaughtSignal)
  }
}
