// Story — what a listing tells while it runs, and the checks of its outcome.

/// The story of one run. Used by the listing's own thread only: what other
/// threads have to say goes into a `Transcript` or a `Cell` first.
struct Story: ~Copyable {
  private let isPrinted: Bool
  private let faultReport: () throws -> FaultReport
  private let record = Cell<(passed: Int, failed: [String])>((0, []))

  init(isPrinted: Bool, faultReport: @escaping () throws -> FaultReport) {
    self.isPrinted = isPrinted
    self.faultReport = faultReport
  }

  /// The number of checks that held, and the statements that did not.
  var result: (passed: Int, failed: [String]) { record.value }

  /// Prints a line of the story.
  func tell(_ line: String) {
    if isPrinted { print("  \(line)") }
  }

  /// Prints the lines of a transcript.
  func tell(_ transcript: Transcript) {
    for line in transcript.lines { tell("| \(line)") }
  }

  /// Checks that a statement holds.
  func check(_ holds: Bool, _ statement: String) {
    record.withValue { if holds { $0.passed += 1 } else { $0.failed.append(statement) } }
    tell("\(holds ? "holds" : "DOES NOT HOLD"): \(statement)")
  }

  /// Checks that a value is the expected one.
  func check<T: Equatable>(_ value: T, is expected: T, _ statement: String) {
    let holds = value == expected
    check(holds, holds ? statement : "\(statement) (expected \(expected), got \(value))")
  }

  /// Runs the listing's fault in a child process and returns how that ended.
  func runFault() throws -> FaultReport { try faultReport() }
}

/// How a child ended that ran a listing's fault.
struct FaultReport: Sendable {
  let wasTrapped: Bool
  /// What it said on standard error, the library's report among it.
  let message: String
  /// What it printed, line by line.
  let output: [String]
}
