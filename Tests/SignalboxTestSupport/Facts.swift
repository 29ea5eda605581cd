// Facts — runs a scenario of the child program and holds the facts that it printed.

package import ProgramScenarios

/// The facts that a scenario printed, by name.
package struct Facts: CustomStringConvertible {
  private let scenario: String
  private let facts: [String: String]

  package init(
    of scenario: any ProgramScenario, _ arguments: String..., environment: [String: String] = [:]
  )
    throws
  {
    self.scenario = scenario.rawValue
    // Memory in a thread's cache would count as in use.
    let exact = ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "SWIFT_BACKTRACE": "enable=no"]
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: exact.merging(environment) { $1 })
    guard outcome.exit == .code(0) else {
      throw MissingFact(
        "\(scenario) ended with \(outcome.exit): \(outcome.standardError)"
          + "it had said: \(outcome.standardOutput.suffix(1000))")
    }
    facts = outcome.facts
  }

  package var description: String {
    "\(scenario): " + facts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
  }

  package func integer(_ name: String) throws -> Int {
    guard let value = facts[name].flatMap({ Int($0) }) else {
      throw MissingFact("no integer “\(name)” in \(self)")
    }
    return value
  }

  package func number(_ name: String) throws -> Double {
    guard let value = facts[name].flatMap({ Double($0) }) else {
      throw MissingFact("no number “\(name)” in \(self)")
    }
    return value
  }

  /// Prints a fact for information; no test depends on it.
  package func note(_ name: String) {
    StandardError.print("\(scenario): \(name)=\(facts[name] ?? "none")")
  }
}

/// The error for a scenario that failed, or a fact that it did not print.
private struct MissingFact: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
