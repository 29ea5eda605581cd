import BenchmarkRecord
import BenchmarkReport

/// What the probes of a serial `async` cost where nobody listens: its instructions, against
/// those of the same program built without them.
enum ProbeCost {
  static let name = "probe-cost"

  private static let subject = "serial-async-held"
  private static let operations = 100_000
  /// How its threads meet at a batch's end makes a count differ a little, and only upwards: the
  /// least of so many runs is compared.
  private static let rounds = 7

  /// - Returns: `nil`, with a failure said by `counting`, where nothing can be counted.
  static func compare(
    _ program: Program, with other: Program, by counting: inout Counting
  ) -> Comparison? {
    var with: [Double] = []
    var without: [Double] = []
    for round in 0..<rounds {
      Progress.say("counting probes, round \(round + 1) of \(rounds)")
      guard
        let ours = counting.instructions(of: subject, operations: operations, program),
        let bare = counting.instructions(of: subject, operations: operations, other)
      else { return nil }
      with.append(ours)
      without.append(bare)
    }
    Progress.say("instructions of a serial async with probes: \(words(with))")
    Progress.say("without probes: \(words(without))")
    let ratio = Quantiles(with).minimum / Quantiles(without).minimum
    return Comparison(rounds: [(record(ratio), nil)], date: counting.date)
  }

  private static func words(_ counts: [Double]) -> String {
    let counts = Quantiles(counts)
    return "\(counts.minimum), at most \(counts.maximum)"
  }

  private static func record(_ ratio: Double) -> Record {
    Record(
      subject: name, name: name,
      title: "recorder off: instructions of a serial `async`, against a build without probes",
      unit: "×", goal: .alone(1.03, required: true), median: ratio, minimum: ratio,
      operations: operations,
      switches: 0)
  }
}
