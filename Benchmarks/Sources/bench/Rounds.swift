import BenchmarkRecord
import BenchmarkReport
import Foundation

/// Measures the subjects on both sides, one right after the other, in rounds:
/// a fresh process for each subject, side and round.
///
/// Side by side, because these machines change their speed from one minute to
/// the next, and the distance between their processors (see `Distance`); in turn first and second, because the second finds warm caches;
/// over many rounds, because a process's layout in memory is drawn by lot.
struct Rounds {
  /// An episode takes seconds and says the same each time.
  private static let mostEpisodes = 3

  let sides: Sides
  let subjects: [Listing]
  let count: Int
  let quick: Bool
  let date: String

  private(set) var failures: [String] = []

  init(sides: Sides, subjects: [Listing], count: Int, quick: Bool, date: String) {
    self.sides = sides
    self.subjects = subjects
    self.count = count
    self.quick = quick
    self.date = date
  }

  mutating func run() -> [Comparison] {
    var names: [String] = []
    var rounds: [String: [Round]] = [:]
    for round in 0..<count {
      if !quick { Progress.say("round \(round + 1) of \(count)") }
      for job in jobs where job.kind != .episode || round < Self.mostEpisodes {
        for (name, round) in measure(job, oursFirst: round.isMultiple(of: 2)) {
          if rounds[name] == nil { names.append(name) }
          rounds[name, default: []].append(round)
        }
      }
    }
    return names.compactMap { Comparison(rounds: rounds[$0] ?? [], date: date) }
  }

  /// One process a side.
  private struct Job {
    let kind: Listing.Kind
    let alone: Bool
    let arguments: [String]
  }

  private var jobs: [Job] {
    subjects.flatMap { subject in
      let arguments = ["--subject", subject.name] + (quick ? ["--quick"] : [])
      return (subject.pinned ? [[], ["--pin"]] : [[]]).map {
        Job(kind: subject.kind, alone: subject.alone, arguments: arguments + $0)
      }
    }
  }

  private mutating func measure(
    _ job: Job, oursFirst: Bool
  ) -> [(String, Round)] {
    let transfers = Transfers.Measurement(isWanted: !quick && !job.arguments.contains("--pin"))
    let ours: [Record]
    let theirs: [Record]
    if job.alone {
      ours = records(of: sides.signalbox, job.arguments)
      theirs = []
    } else if oursFirst {
      ours = records(of: sides.signalbox, job.arguments)
      theirs = records(of: sides.toolchain, job.arguments)
    } else {
      theirs = records(of: sides.toolchain, job.arguments)
      ours = records(of: sides.signalbox, job.arguments)
    }
    let both = transfers.end()
    let some = ours.isEmpty ? theirs : ours
    return some.map { record in
      let same = { (other: Record) in other.name == record.name }
      let round = Round(
        signalbox: ours.first(where: same), toolchain: theirs.first(where: same),
        transfers: both)
      return (record.name, round)
    }
  }

  /// A process that fails is reported and leaves a gap; the others go on.
  private mutating func records(of program: Program, _ arguments: [String]) -> [Record] {
    // To see that all works, the toolchain's side may try again: its faults are not ours. With
    // `--drop-in`, both sides are one file, and only the variables tell them apart.
    let tries = quick && program == sides.toolchain ? 3 : 1
    for left in (0..<tries).reversed() {
      if let records = records(of: program, arguments, mayFail: left > 0) { return records }
    }
    return []
  }

  private mutating func records(
    of program: Program, _ arguments: [String], mayFail: Bool
  ) -> [Record]? {
    do {
      return try program.records(arguments)
    } catch {
      if !mayFail { failures.append("\(error)") }
      Progress.say("\(error)")
      return nil
    }
  }
}
