// Route — how a child program gets a pool for its tasks, and what serves its main actor.

import SignalboxTestSupport
import Testing

enum Route: String, CaseIterable, CustomTestStringConvertible {
  /// The toolchain's pool and its own drain of the main queue.
  case stock
  /// The toolchain's pool beside our drain.
  case beside
  case adopted
  case runLoop = "adopted-run-loop"
  case cfRunLoop = "adopted-cf-run-loop"
  case host = "adopted-host"
  /// Adopted although the runtime's hook is missing.
  case unhooked = "adopted-unhooked"
  /// Adopted by the environment, before an `async` main.
  case asyncMain = "async-main"
  /// An `async` main with the toolchain's pool.
  case stockAsyncMain = "stock-async-main"

  /// All routes that end in our pool.
  static let adopting: [Route] = [.adopted, .runLoop, .cfRunLoop, .host, .asyncMain]

  var testDescription: String { rawValue }

  /// Runs a scenario to its end.
  func run(
    _ scenario: String, _ arguments: [String] = [], environment: [String: String] = [:]
  ) throws -> ChildProgram.Outcome {
    let isAsync = self == .asyncMain || self == .stockAsyncMain
    let defaults = [
      "SIGNALBOX_EXECUTORS": self == .asyncMain ? "1" : "0", "SWIFT_BACKTRACE": "enable=no",
    ]
    return try ChildProgram(isAsync ? "AsyncMainFacts" : "ConcurrencyFacts").run(
      [rawValue, scenario] + arguments, environment: defaults.merging(environment) { $1 })
  }

  /// Returns the facts of a scenario, which must end well and print nothing else.
  func facts(
    of scenario: String, _ arguments: [String] = [], environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [String: String] {
    let outcome = try run(scenario, arguments, environment: environment)
    #expect(outcome.exit == .code(0), sourceLocation: sourceLocation)
    #expect(outcome.standardError == "", sourceLocation: sourceLocation)
    return outcome.facts
  }
}

/// Expects that a program trapped, with each of these words in its message.
func expectTrap(
  _ outcome: ChildProgram.Outcome, says words: String...,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if case .code(let code) = outcome.exit {
    Issue.record("ended with code \(code), no trap", sourceLocation: sourceLocation)
  }
  #expect(outcome.facts["reached"] == nil, sourceLocation: sourceLocation)
  for word in words where !outcome.standardError.contains(word) {
    Issue.record(
      "“\(word)” is not in: \(outcome.standardError)", sourceLocation: sourceLocation)
  }
}
