// Program — one of this package's programs, run while its environment requests a recording.

import Foundation

struct Program {
  let name: String

  /// What a run left.
  struct Run {
    let output: String
    let errors: String
    let status: Int32
  }

  /// Runs the program to its end with these additional variables.
  func run(_ variables: [String: String], arguments: [String] = []) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SIGNALBOX_") }
    process.environment = own.merging(variables) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Neither stream is larger than a pipe's buffer.
    let said = [output, errors].map {
      String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return Run(output: said[0], errors: said[1], status: process.terminationStatus)
  }
}

/// A temporary folder that exists as long as the test runs.
final class Folder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
  }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: url.appendingPathComponent(name))
  }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}
