import BenchmarkReport
import Foundation

/// Measures the rows on all sides, one right after the other, in rounds: a fresh process for each
/// row, side and round, with all processors and with one. The side that begins is another in each
/// round.
struct PeerRounds {
  let contests: [PeerContest]
  let count: Int
  let quick: Bool
  let counts: Bool
  let date: String

  private(set) var failures: [String] = []

  init(contests: [PeerContest], count: Int, quick: Bool, counts: Bool, date: String) {
    self.contests = contests
    self.count = count
    self.quick = quick
    self.counts = counts
    self.date = date
  }

  /// A row's two readings are two jobs.
  private struct Job {
    let contest: PeerContest
    let pinned: Bool
    var rounds: [PeerRound] = []
  }

  mutating func run() -> [PeerComparison] {
    var jobs = contests.flatMap { contest in
      [false, true].map { Job(contest: contest, pinned: $0) }
    }
    for round in 0..<count {
      if !quick { Progress.say("round \(round + 1) of \(count)") }
      for index in jobs.indices { jobs[index].rounds.append(measure(jobs[index], round)) }
    }
    return jobs.map { job in
      PeerComparison(
        row: job.contest.row, pinned: job.pinned, sides: job.contest.contestants.map(\.side),
        rounds: job.rounds, counts: counts ? count(job) : [:], date: date)
    }
  }

  private mutating func measure(_ job: Job, _ round: Int) -> PeerRound {
    let transfers = Transfers.Measurement(isWanted: !quick && !job.pinned)
    var samples: [PeerSide: PeerSample] = [:]
    let all = job.contest.contestants
    for turn in all.indices {
      let contestant = all[(turn + round) % all.count]
      let arguments = contestant.least + (quick ? ["--quick"] : [])
      samples[contestant.side] = attempt {
        try PeerProcess(contestant, pinned: job.pinned).sample(arguments)
      }
    }
    return PeerRound(samples, transfers: transfers.end())
  }

  /// Instructions and system calls an operation. Every side performs as many operations.
  private mutating func count(_ job: Job) -> [PeerSide: Counts] {
    guard Program(named: "perf") != nil,
      let ours = job.rounds.compactMap({ $0.samples[.signalbox] }).last
    else { return [:] }
    Progress.say("counting \(job.contest.row)\(job.pinned ? ", pinned" : "")")
    let operations = 2 * ours.operations
    let pairs = job.contest.contestants.map { contestant in
      let runs = [1, 2].compactMap { times in
        attempt {
          try PeerProcess(contestant, pinned: job.pinned).totals(operations: times * operations)
        }
      }
      func difference(_ total: KeyPath<PeerProcess.Totals, Int?>) -> Double? {
        let values = runs.compactMap { $0[keyPath: total] }
        guard values.count == 2 else { return nil }
        return perOperation(single: values[0], double: values[1], operations: operations)
      }
      return (
        contestant.side,
        Counts(
          instructions: difference(\.instructions), allocations: nil,
          systemCalls: difference(\.systemCalls))
      )
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  private mutating func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      failures.append("\(error)")
      Progress.say("\(error)")
      return nil
    }
  }
}
