// Runs the subjects against Signalbox and the toolchain's Dispatch, prints and
// keeps the comparison. See `Options.usage`.

import BenchmarkRecord
import BenchmarkReport
import Foundation

func fail(_ message: String, status: Int32 = 1) -> Never {
  Progress.say("bench: \(message)")
  exit(status)
}

func benchmark(_ options: Options) throws -> Int32 {
  let sides = try Sides()
  let subjects = try sides.subjects()
  let wanted = subjects.filter { options.wants($0.name) }
  if wanted.isEmpty { fail("no subject matches", status: 64) }
  let date = String(Date.now.ISO8601Format().prefix(10))

  var rounds = Rounds(
    sides: sides, subjects: wanted, count: options.quick ? 1 : options.rounds,
    quick: options.quick, date: date)
  var comparisons = rounds.run()
  if options.quick {
    print(Table.plain(comparisons))
    return report(rounds.failures)
  }

  var failures = rounds.failures
  var counts: [CountedSubject] = []
  if options.counts || options.withoutProbes != nil {
    var counting = try Counting(sides: sides, subjects: wanted, date: date)
    defer { counting.finish() }
    if options.counts { counts = counting.run() }
    if let file = options.withoutProbes {
      let other = Program(URL(fileURLWithPath: file))
      let row = ProbeCost.compare(sides.signalbox, with: other, by: &counting)
      if let row { comparisons.append(row) }
    }
    failures += counting.failures
  }
  var results = try Results(of: Machine.current(), in: Checkout.results)
  results.merge(
    comparisons: comparisons, counts: counts, subjects: subjects.map(\.name) + [ProbeCost.name])
  try results.write(to: Checkout.results)

  let table = Table.markdown(results)
  print(table)
  if options.documents {
    guard let short = Table.short(results, reasonsIn: Checkout.speedPath) else {
      fail("a row of the README was never measured: \(Table.chosen)")
    }
    try put(table, into: Checkout.speed)
    try put(short, into: Checkout.readme)
  }
  let status = report(failures)
  return status == 0 && options.goals ? judge(results) : status
}

func report(_ failures: [String]) -> Int32 {
  if failures.isEmpty { return 0 }
  Progress.say("\nnot everything could be measured: \(failures.count) failures, said above")
  return 1
}

func put(_ table: String, into file: URL) throws {
  guard let document = try? String(contentsOf: file, encoding: .utf8),
    let changed = MarkedSection.replace(in: document, with: table)
  else {
    fail("\(file.path) lacks the lines \(MarkedSection.begin) and \(MarkedSection.end)")
  }
  try changed.write(to: file, atomically: true, encoding: .utf8)
}

/// Only a required goal decides; another that is missed is said.
func judge(_ results: Results) -> Int32 {
  let missed = results.comparisons.filter { $0.verdict == .missed || $0.verdict == .failed }
  for row in missed {
    Progress.say("\(row.isRequired ? "required goal" : "goal") not met: \(row.name)")
  }
  return missed.contains(where: \.isRequired) ? 2 : 0
}

do {
  let options = try Options(CommandLine.arguments.dropFirst())
  exit(try benchmark(options))
} catch let mistake as Options.Mistake {
  fail("\(mistake)\n\n\(Options.usage)", status: 64)
} catch {
  fail("\(error)")
}
