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
  if options.peers { return try Peers.compare(options) }
  if options.scale { return try Scale.measure(options) }
  let sides = try Sides(dropIn: options.dropIn)
  let subjects = try sides.subjects()
  let wanted = subjects.filter {
    options.wants($0.name) && (!options.dropIn || DropIn.subjects.contains($0.name))
  }
  if wanted.isEmpty { fail("no subject matches", status: 64) }
  if options.dropIn, let unknown = DropIn.subjects.subtracting(subjects.map(\.name)).first {
    fail("there is no subject \(unknown), for which the drop-in has a goal")
  }
  let date = today()

  var rounds = Rounds(
    sides: sides, subjects: wanted, count: options.quick ? 1 : options.rounds,
    quick: options.quick, date: date)
  var comparisons = rounds.run()
  if options.quick {
    print(Table.plain(comparisons))
    return report(rounds.failures)
  }

  if options.dropIn { return try keepDropIn(comparisons, subjects, rounds.failures, options) }

  var failures = rounds.failures
  var counts: [CountedSubject] = []
  if options.counts || options.withoutProbes != nil || options.withoutCounts != nil {
    var counting = try Counting(sides: sides, subjects: wanted, date: date)
    defer { counting.finish() }
    if options.counts { counts = counting.run() }
    let costs =
      (options.withoutProbes.map { [(BuildCost.probes, $0)] } ?? [])
      + (options.withoutCounts.map { file in BuildCost.counts.map { ($0, file) } } ?? [])
    for (cost, file) in costs {
      let other = Program(URL(fileURLWithPath: file))
      let row = cost.compare(sides.signalbox, with: other, by: &counting)
      if let row { comparisons.append(row) }
    }
    failures += counting.failures
  }
  var results = try Results(of: Machine.current(), in: Checkout.results)
  results.merge(
    comparisons: comparisons, counts: counts, subjects: subjects.map(\.name) + BuildCost.names)
  try results.write(to: Checkout.results)

  let table = Table.markdown(results)
  print(table)
  if options.documents { try keepInDocuments(results) }
  let status = report(failures)
  return status == 0 && options.goals ? judge(results.comparisons) : status
}

func keepInDocuments(_ results: Results) throws {
  let other = MarkedSection.table(of: results.machine)
  if hasSection(other, Checkout.speedElsewhere) {
    let table = Table.markdown(results, explained: false)
    return try put(table, into: Checkout.speedElsewhere, named: other)
  }
  guard let short = Table.short(results, reasonsIn: Checkout.speedPath) else {
    fail("a row of the README was never measured: \(Table.chosen)")
  }
  try put(Table.markdown(results), into: Checkout.speed)
  try put(short, into: Checkout.readme)
}

func today() -> String { String(Date.now.ISO8601Format().prefix(10)) }

func keepDropIn(
  _ comparisons: [Comparison], _ subjects: [Listing], _ failures: [String], _ options: Options
) throws -> Int32 {
  var results = try Results(of: Machine.current(), in: Checkout.results)
  results.merge(dropIn: DropIn.judged(comparisons), subjects: subjects.map(\.name))
  try results.write(to: Checkout.results)
  let table = Table.dropIn(results)
  print(table)
  if options.documents {
    try put(table, into: Checkout.speed, named: MarkedSection.dropInTable)
  }
  let status = report(failures)
  return status == 0 && options.goals ? judge(results.dropIn) : status
}

func report(_ failures: [String]) -> Int32 {
  if failures.isEmpty { return 0 }
  Progress.say("\nnot everything could be measured: \(failures.count) failures, said above")
  return 1
}

func hasSection(_ name: String, _ file: URL) -> Bool {
  let document = try? String(contentsOf: file, encoding: .utf8)
  return document.map { MarkedSection.replace(in: $0, with: "", named: name) != nil } ?? false
}

func put(_ table: String, into file: URL, named name: String = "benchmark table") throws {
  guard let document = try? String(contentsOf: file, encoding: .utf8),
    let changed = MarkedSection.replace(in: document, with: table, named: name)
  else {
    fail("\(file.path) lacks the marker lines of the \(name)")
  }
  try changed.write(to: file, atomically: true, encoding: .utf8)
}

/// Only a required goal decides; another that is missed is said.
func judge(_ rows: [Comparison]) -> Int32 {
  let missed = rows.filter { $0.verdict == .missed || $0.verdict == .failed }
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
