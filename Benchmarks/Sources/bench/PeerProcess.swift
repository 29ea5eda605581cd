import BenchmarkReport
import Foundation

/// A row and the programs that do its work.
struct PeerContest {
  let row: String
  let contestants: [Contestant]
}

struct Contestant {
  let side: PeerSide
  let command: [String]
  /// Ours knows itself how large a sample has to be.
  let least: [String]
}

/// A process of one side, on all processors or on one.
struct PeerProcess {
  struct Totals {
    let instructions: Int?
    let systemCalls: Int?
  }

  private static let instructions = "instructions:u"
  /// A program that hangs is a failure, and must not hang the others.
  private static let seconds = "120"

  private let contestant: Contestant
  private let pinned: Bool

  init(_ contestant: Contestant, pinned: Bool) {
    self.contestant = contestant
    self.pinned = pinned
  }

  func sample(_ arguments: [String]) throws -> PeerSample {
    let line = try start(arguments).trimmingCharacters(in: .newlines)
    guard let sample = PeerSample(line) else {
      throw Program.Failure(description: "\(contestant.command) printed no sample: \(line)")
    }
    return sample
  }

  /// What a run of so many operations takes, as `perf` counts it.
  func totals(operations: Int) throws -> Totals {
    let output = FileManager.default.temporaryDirectory
      .appendingPathComponent("signalbox-bench-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: output) }
    let events = "\(SystemCallCount.event),\(Self.instructions)"
    try start(
      ["--operations", "\(operations)"],
      under: ["perf", "stat", "-x", ",", "-o", output.path, "-e", events, "--"])
    let text = try String(contentsOf: output, encoding: .utf8)
    return Totals(
      instructions: SystemCallCount.fromPerf(text, event: Self.instructions),
      systemCalls: SystemCallCount.fromPerf(text))
  }

  @discardableResult
  private func start(_ arguments: [String], under tool: [String] = []) throws -> String {
    guard let timeout = Program(named: "timeout") else {
      throw Program.Failure(description: "there is no timeout, of Debian's coreutils")
    }
    let pinning = pinned ? ["taskset", "-c", try Self.firstProcessor()] : []
    return try timeout.run([Self.seconds] + tool + pinning + contestant.command + arguments)
  }

  /// The first one this process may run on.
  private static func firstProcessor() throws -> String {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
    guard let number = line?.drop(while: { !$0.isNumber }).prefix(while: \.isNumber),
      !number.isEmpty
    else { throw Program.Failure(description: "/proc/self/status names no processor") }
    return String(number)
  }
}
