// Verdict — the result of exploring a program.

/// A way in which a program goes wrong.
enum Flaw: Equatable, Sendable {
  /// Two conflicting plain accesses that happens-before does not order.
  case dataRace(on: String)
  /// An access to a location that is freed before or at the same time.
  case useAfterFree(of: String)
  /// Threads that wait forever: a deadlock, or a lost wake-up.
  case stuck([String])
  /// Too many states: threads that can run forever without progress, or a program that is too
  /// large.
  case endless
  /// A requirement of the program does not hold.
  case violation(String)
}

/// A flaw and an execution that shows it.
struct Counterexample: Error, CustomStringConvertible, Sendable {
  let flaw: Flaw
  let trace: [String]

  var description: String {
    "\(flaw)\n" + trace.map { "  \($0)" }.joined(separator: "\n")
  }
}

/// The result of an exploration.
struct Verdict: CustomStringConvertible, Sendable {
  /// The observations of every execution, without duplicates.
  var outcomes: Set<[Int]> = []
  /// The number of distinct states.
  var states = 0
  /// The first counterexample; the exploration ends with it.
  var counterexample: Counterexample?

  var holds: Bool { counterexample == nil }
  var flaw: Flaw? { counterexample?.flaw }

  /// The threads that wait forever, if that is the flaw.
  var stuckThreads: [String]? {
    if case .stuck(let threads) = flaw { threads } else { nil }
  }

  var description: String {
    if let counterexample { return "\(counterexample)" }
    let sorted = outcomes.sorted { $0.lexicographicallyPrecedes($1) }
    return "holds in \(states) states with outcomes \(sorted)"
  }
}
