// Facts — runs a scenario of the child program and holds the facts that it printed.

import SignalboxTestSupport

/// The facts that a scenario printed, by name.
struct Facts: CustomStringConvertible {
  private let scenario: String
  private let facts: [String: String]

  init(of scenario: String, _ arguments: String..., environment: [String: String] = [:]) throws {
    self.scenario = scenario
    // Memory in a thread's cache would count as in use.
    let exact = ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "SWIFT_BACKTRACE": "enable=no"]
    let outcome = try ChildProgram("CountedFacts").run(
      [scenario] + arguments, environment: exact.merging(environment) { $1 })
    guard outcome.exit == .code(0) else {
      throw Broken("\(scenario) ended with \(outcome.exit): \(outcome.standardError)")
    }
    facts = outcome.facts
  }

  var description: String {
    "\(scenario): " + facts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
  }

  func integer(_ name: String) throws -> Int {
    guard let value = facts[name].flatMap({ Int($0) }) else {
      throw Broken("no integer “\(name)” in \(self)")
    }
    return value
  }

  func number(_ name: String) throws -> Double {
    guard let value = facts[name].flatMap({ Double($0) }) else {
      throw Broken("no number “\(name)” in \(self)")
    }
    return value
  }

  /// Prints a fact for information; no test depends on it.
  func note(_ name: String) {
    StandardError.print("\(scenario): \(name)=\(facts[name] ?? "none")")
  }
}
