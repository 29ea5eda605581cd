// Subject — one property that must hold however threads interleave, and how to try it: a few
// passes in every run, or for minutes on request.
//
// Every pass draws all its choices from one generator, so its seed reproduces the choices; the
// machine decides the interleaving. A pass ends by itself, or the wedge detector ends it and
// names the subject and its seed.

import Glibc
import SignalboxTestSupport
import Testing

struct Subject: Sendable, CustomTestStringConvertible {
  typealias Pass = @Sendable (_ random: inout SeededGenerator) throws -> Void

  let name: String
  private let pass: Pass

  init(_ name: String, _ pass: @escaping Pass) {
    self.name = name
    self.pass = pass
  }

  var testDescription: String { name }

  func run(seed: UInt64) throws {
    let ticket = WedgeDetector.begin("“\(name)” with SIGNALBOX_STRESS_SEED=\(seed)", .pass)
    defer { WedgeDetector.end(ticket) }
    var random = SeededGenerator(seed: seed)
    do {
      try pass(&random)
    } catch {
      throw Broken("“\(name)” with SIGNALBOX_STRESS_SEED=\(seed): \(error)")
    }
  }

  /// Runs the passes of an ordinary run: at least two, and as many as fit into a fraction of a
  /// second. The first uses the announced seed itself, so that a seed from a failure is tried
  /// first.
  func smoke() throws {
    let end = Uptime.now() + .milliseconds(250)
    var derived = SeededGenerator(seed: Stress.seed)
    try run(seed: Stress.seed)
    repeat { try run(seed: derived.next()) } while Uptime.now() < end
  }
}

enum Stress {
  /// The seed from SIGNALBOX_STRESS_SEED, or a fresh one. It is printed.
  static let seed: UInt64 = {
    var random = SystemRandomNumberGenerator()
    let seed = value(of: "SIGNALBOX_STRESS_SEED").flatMap { UInt64($0) } ?? random.next()
    StandardError.print("SIGNALBOX_STRESS_SEED=\(seed)")
    return seed
  }()

  /// How long all subjects run together: SIGNALBOX_STRESS_MINUTES, or a second.
  static let together: Duration = {
    guard let text = value(of: "SIGNALBOX_STRESS_MINUTES"), let minutes = Double(text) else {
      return .seconds(1)
    }
    return .seconds(60) * minutes
  }()

  private static func value(of variable: String) -> String? {
    getenv(variable).map { String(cString: $0) }
  }
}

/// The error for a property that did not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Throws unless the value found is the expected one.
func agree<Value: Equatable>(
  _ found: Value, _ expected: Value, _ what: String, line: UInt = #line
) throws {
  if found != expected {
    throw Broken("\(what): \(found) where \(expected) was expected (line \(line))")
  }
}
