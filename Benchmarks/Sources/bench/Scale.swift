import BenchmarkRecord
import BenchmarkReport
import Foundation

/// Both sides with one processor, two, four, up to all: `bench --scale`.
///
/// The driver keeps itself to the processors before it starts a process, which therefore never sees
/// more than it may use.
struct Scale {
  private let sides: Sides
  private let processors = Processors()
  private var failures: [String] = []

  static func measure(_ options: Options) throws -> Int32 {
    let sides = try Sides(dropIn: false)
    let subjects = try sides.subjects("--list-scale").filter { options.wants($0.name) }
    if subjects.isEmpty { fail("no subject matches", status: 64) }
    let rounds = options.quick ? 1 : max(1, options.rounds)
    var scale = Scale(sides: sides)
    let rows = try scale.run(subjects, rounds: rounds, quick: options.quick)
    let machine = Machine.current()
    print(
      """
      \(machine.processor), \(machine.cores) processors, \(machine.architecture), \
      Linux \(machine.kernel); \(today()); \(rounds) rounds. The processors, in the order in which \
      they were added: \(scale.processors.inOrder.map(String.init).joined(separator: ", ")).

      \(ScaleTable.markdown(rows))
      """)
    return report(scale.failures)
  }

  private init(sides: Sides) { self.sides = sides }

  /// A row a subject.
  private mutating func run(
    _ subjects: [Listing], rounds: Int, quick: Bool
  ) throws -> [[ScaleReading]] {
    let steps = processors.steps
    var rows = subjects.map { _ in steps.map { ScaleReading(processors: $0) } }
    for round in 0..<rounds {
      if !quick { Progress.say("round \(round + 1) of \(rounds)") }
      for (column, count) in steps.enumerated() {
        try processors.keep(to: count)
        for (row, subject) in subjects.enumerated() {
          let arguments = ["--subject", subject.name] + (quick ? ["--quick"] : [])
          // The side that runs first is the other one in each round.
          for isOurs in round.isMultiple(of: 2) ? [true, false] : [false, true] {
            guard let record = record(of: isOurs, subject, arguments) else { continue }
            if isOurs {
              rows[row][column].signalbox.append(record)
            } else {
              rows[row][column].toolchain.append(record)
            }
          }
        }
      }
    }
    return rows
  }

  /// A latency's last record is its high percentile.
  private mutating func record(
    of isOurs: Bool, _ subject: Listing, _ arguments: [String]
  ) -> Record? {
    do {
      return try (isOurs ? sides.signalbox : sides.toolchain).records(arguments).last
    } catch {
      failures.append("\(error)")
      Progress.say("\(error)")
      return nil
    }
  }
}
