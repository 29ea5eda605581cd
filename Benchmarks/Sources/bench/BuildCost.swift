import BenchmarkRecord
import BenchmarkReport

/// What a part of the library costs where nobody looks: an operation, against that of the same program
/// built without the part.
struct BuildCost {
  let name: String
  let title: String
  let subject: String
  let goal: Double
  let measure: Measure

  enum Measure {
    /// Instructions, as a ratio.
    case instructions
    /// Time, as a difference in nanoseconds. The least times are compared: what else the machine does
    /// only adds to them.
    case time
  }

  static let probes = BuildCost(
    name: "probe-cost",
    title: "recorder off: instructions of a serial `async`, against a build without probes",
    subject: "serial-async-held", goal: 1.03, measure: .instructions)
  static let counts = [
    BuildCost(
      name: "count-cost",
      title: "counters: instructions of a serial `async`, against a build without counters",
      subject: "serial-async-held", goal: 1.02, measure: .instructions),
    BuildCost(
      name: "count-cost-sync",
      title: "counters: time of a `sync` of a free queue, beyond that of a build without counters",
      subject: "serial-sync", goal: 1.5, measure: .time),
  ]

  static let names = ([probes] + counts).map(\.name)

  private static let operations = 100_000
  /// How the threads of a serial `async` meet at a batch's end makes a count differ a little, and only upwards:
  /// the least of so many runs is compared.
  private static let rounds = 7
  private static let timedRounds = 20

  /// - Returns: `nil`, with a failure said by `counting`, where nothing can be counted.
  func compare(
    _ program: Program, with other: Program, by counting: inout Counting
  ) -> Comparison? {
    var with: [Double] = []
    var without: [Double] = []
    let rounds = measure == .time ? BuildCost.timedRounds : BuildCost.rounds
    for round in 0..<rounds {
      Progress.say("\(name), round \(round + 1) of \(rounds)")
      guard let ours = value(of: program, &counting), let bare = value(of: other, &counting)
      else { return nil }
      with.append(ours)
      without.append(bare)
    }
    Progress.say("\(subject): \(words(with)); without: \(words(without))")
    let (ours, bare) = (Quantiles(with).minimum, Quantiles(without).minimum)
    let result = measure == .time ? max(0, ours - bare) : ours / bare
    return Comparison(
      rounds: [Round(signalbox: record(result), toolchain: nil)], date: counting.date)
  }

  private func value(of program: Program, _ counting: inout Counting) -> Double? {
    switch measure {
    case .instructions:
      counting.instructions(of: subject, operations: BuildCost.operations, program)
    case .time: counting.time(of: subject, program)
    }
  }

  private func words(_ values: [Double]) -> String {
    let values = Quantiles(values)
    return "\(values.minimum), at most \(values.maximum)"
  }

  private func record(_ result: Double) -> Record {
    Record(
      subject: name, name: name, title: title, unit: measure == .time ? "ns" : "×",
      goal: .alone(goal, required: true), median: result, minimum: result,
      operations: BuildCost.operations, switches: 0)
  }
}
