import BenchmarkRecord
import BenchmarkReport
import Foundation
import Testing

@Suite struct ResultsTests {
  private let machine = Machine(
    processor: "Some(R) Processor 9000", cores: 2, architecture: "x86_64", kernel: "6.1")

  private func comparison(_ subject: String, _ ours: Double, note: String = "") -> Comparison {
    let record = { (median: Double, note: String) in
      Record(
        subject: subject, name: subject, title: "`\(subject)`", unit: "ns",
        goal: .ratio(0.4, required: true), median: median, minimum: median, operations: 1,
        switches: 0.5, note: note)
    }
    return Comparison(
      rounds: [Round(signalbox: record(ours, ""), toolchain: record(100, note))], date: "2026-01-01"
    )!
  }

  private func counted(_ subject: String) -> CountedSubject {
    CountedSubject(
      subject: subject,
      signalbox: Counts(instructions: 100, allocations: 1, systemCalls: nil),
      toolchain: Counts(instructions: 400.4, allocations: 3, systemCalls: 0.25),
      date: "2026-01-02")
  }

  @Test func theTableOfAnotherMachineLeadsToNoReasons() {
    var results = Results(machine: machine)
    results.merge(comparisons: [comparison("b", 50)], counts: [], subjects: ["b"])
    let table = Table.markdown(results, explained: false)
    #expect(table.contains("| **≤ 0.40** | not met | – |") && !table.contains("](#"), "\(table)")
    #expect(
      MarkedSection.table(of: machine) == "benchmark table some-r-processor-9000-2-cores")
  }

  @Test func newNumbersReplaceOldOnesInTheOrderOfTheSubjects() {
    var results = Results(machine: machine)
    let before = ["a", "b", "gone"].map { comparison($0, 50) }
    results.merge(comparisons: before, counts: [], subjects: ["a", "b", "gone"])
    results.merge(
      comparisons: [comparison("c", 10), comparison("a", 20)], counts: [counted("b")],
      subjects: ["c", "b", "a"])
    #expect(results.comparisons.map(\.name) == ["c", "b", "a"])
    #expect(results.comparisons.map { $0.signalbox?.median } == [10, 50, 20])
    #expect(results.counts.map(\.subject) == ["b"])
  }

  @Test func resultsComeBackFromTheirFile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try Results(of: machine, in: folder) == Results(machine: machine))

    var results = Results(machine: machine)
    results.merge(comparisons: [comparison("a", 50)], counts: [counted("a")], subjects: ["a"])
    try results.write(to: folder)
    #expect(try Results(of: machine, in: folder) == results)
  }

  @Test func aMachinesFileIsNamedAfterItsKind() {
    #expect(machine.fileName == "some-r-processor-9000-2-cores.json")
  }

  @Test func theTableSaysWhatWasReached() {
    var results = Results(machine: machine)
    results.merge(
      comparisons: [comparison("a", 35), comparison("b", 50), comparison("c", 1, note: "5 of 64")],
      counts: [counted("a")], subjects: ["a", "b", "c"])
    let lines = Table.markdown(results).split(separator: "\n").map(String.init)
    let expected = [
      "| **`a`** | 35.0 ns | 100 ns | 0.35 (0.35–0.35) | **≤ 0.40** | met | – |",
      "| **`b`** | 50.0 ns | 100 ns | 0.50 (0.50–0.50) | **≤ 0.40** | [not met](#why-b) | – |",
      "| **`c`** | 1.00 ns | > 100 ns (5 of 64) | < 0.010 | **≤ 0.40** | met | – |",
      "| `a` | 100 / 400 | 1.00 / 3.00 | – / 0.250 | 0.500 / 0.500 |",
    ]
    for line in expected { #expect(lines.contains(line), "\(line)\nis not in\n\(lines)") }
    #expect(lines[0].contains("Some(R) Processor 9000, 2 cores"))
    #expect(lines[0].contains("2026-01-01 to 2026-01-02"))
  }

  @Test func aRatioOfMediansIsMarkedAndExplained() {
    var old = comparison("old", 35)
    old.ratioMedian = nil
    var results = Results(machine: machine)
    results.merge(comparisons: [comparison("new", 35)], counts: [], subjects: ["new", "old"])
    #expect(!Table.markdown(results).contains("~"))
    results.merge(comparisons: [old], counts: [], subjects: ["new", "old"])
    let lines = Table.markdown(results).split(separator: "\n").map(String.init)
    #expect(lines[0].contains("1 rows were measured before"))
    let times = "35.0 ns | 100 ns"
    #expect(lines.contains("| **`old`** | \(times) | ~0.35 (0.35–0.35) | **≤ 0.40** | met | – |"))
    #expect(lines.contains("| **`new`** | \(times) | 0.35 (0.35–0.35) | **≤ 0.40** | met | – |"))
  }

  @Test func aRowThatLosesWithoutAGoalLeadsToItsReason() throws {
    let record = { (name: String, median: Double) in
      Record(
        subject: name, name: name, title: name, unit: "ns", goal: .none, median: median,
        minimum: median, operations: 1, switches: 0)
    }
    var results = Results(machine: machine)
    results.merge(
      comparisons: [
        try #require(
          Comparison(
            rounds: [Round(signalbox: record("slow", 30), toolchain: record("slow", 20))], date: "")
        ),
        try #require(
          Comparison(
            rounds: [Round(signalbox: record("fast", 10), toolchain: record("fast", 20))], date: "")
        ),
      ], counts: [], subjects: ["slow", "fast"])
    let lines = Table.markdown(results).split(separator: "\n").map(String.init)
    #expect(
      lines.contains(
        "| slow | 30.0 ns | 20.0 ns | 1.50 (1.50–1.50) | – | [slower](#why-slow) | – |"))
    #expect(lines.contains("| fast | 10.0 ns | 20.0 ns | 0.50 (0.50–0.50) | – | – | – |"))
  }

  @Test func theChosenRowsAreTwelveInTheirOrder() throws {
    var results = Results(machine: machine)
    let rows = Table.chosen.enumerated().map { index, name in
      comparison(name, index == 1 ? 50 : 4, note: index == 2 ? "5 of 64" : "")
    }
    results.merge(comparisons: rows.dropLast(), counts: [], subjects: Table.chosen)
    #expect(Table.short(results, reasonsIn: "S.md") == nil)
    results.merge(comparisons: rows, counts: [], subjects: Table.chosen.reversed())
    let short = try #require(Table.short(results, reasonsIn: "S.md"))
    let lines = short.split(separator: "\n").map(String.init)
    let (first, second, third) = (Table.chosen[0], Table.chosen[1], Table.chosen[2])
    #expect(lines.count == 2 + 12)
    #expect(lines[2] == "| `\(first)` | 4.00 ns | 100 ns | 0.040 |")
    #expect(lines[3] == "| `\(second)` | 50.0 ns | 100 ns | [0.50](S.md#why-\(second)) |")
    #expect(lines[4] == "| `\(third)` | 4.00 ns | > 100 ns (5 of 64) | – |")
  }

  @Test func theChosenRowsAreAmongTheResults() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Results")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    // A machine on which only the rows of programs that are not rebuilt were measured has no table.
    let measured = try files.map { file in
      (file.lastPathComponent, try JSONDecoder().decode(Results.self, from: Data(contentsOf: file)))
    }.filter { !$0.1.comparisons.isEmpty }
    #expect(!measured.isEmpty)
    for (name, results) in measured {
      #expect(Table.short(results, reasonsIn: "S.md") != nil, "\(name)")
    }
  }

  @Test func theTableHasNothingBesideWhatStandsAlone() {
    let record = Record(
      subject: "e", name: "e", title: "an event", unit: "ns", goal: .alone(40, required: true),
      median: 31.5,
      minimum: 31.5, operations: 1, switches: 0)
    let row = Comparison(rounds: [Round(signalbox: record, toolchain: nil)], date: "2026-01-01")
    var results = Results(machine: machine)
    results.merge(comparisons: [row].compactMap { $0 }, counts: [], subjects: ["e"])
    let lines = Table.markdown(results).split(separator: "\n").map(String.init)
    #expect(
      lines.contains("| **an event** | 31.5 ns | – | – | **≤ 40.0 ns** | met | – |"), "\(lines)")
    #expect(Table.plain(results.comparisons) == "e: signalbox 31.5 ns")
  }

  @Test func rowsOfProgramsThatAreNotRebuiltHaveATableOfTheirOwn() throws {
    var results = Results(machine: machine)
    results.merge(dropIn: [comparison("b", 50), comparison("a", 35)], subjects: ["a", "b"])
    #expect(results.comparisons.isEmpty)
    let lines = Table.dropIn(results).split(separator: "\n").map(String.init)
    #expect(lines.count == 4)
    #expect(lines[2].hasSuffix("| met | – |"))
    #expect(lines[3].hasSuffix("| [not met](#why-drop-in-b) | – |"))
  }

  @Test func eachSectionHasItsMarkers() {
    let (begin, end) = (MarkedSection.begin(of: "other"), MarkedSection.end(of: "other"))
    let document = "\(MarkedSection.begin)\nold\n\(MarkedSection.end)\n\(begin)\n\(end)\n"
    let changed = MarkedSection.replace(in: document, with: "new", named: "other")
    #expect(
      changed == "\(MarkedSection.begin)\nold\n\(MarkedSection.end)\n\(begin)\nnew\n\(end)\n")
  }

  @Test func theSectionBetweenTheMarkersIsReplaced() {
    let document = "before\n\(MarkedSection.begin)\nold\n\(MarkedSection.end)\nafter\n"
    let changed = MarkedSection.replace(in: document, with: "new")
    #expect(changed == "before\n\(MarkedSection.begin)\nnew\n\(MarkedSection.end)\nafter\n")
    #expect(MarkedSection.replace(in: changed ?? "", with: "new") == changed)
  }

  @Test(arguments: [
    "nothing", MarkedSection.begin, "\(MarkedSection.end)\n\(MarkedSection.begin)",
    "\(MarkedSection.begin)\(MarkedSection.begin)\(MarkedSection.end)",
  ])
  func aDocumentWithoutItsMarkersIsLeftAlone(document: String) {
    #expect(MarkedSection.replace(in: document, with: "new") == nil)
  }

  @Test func theTableSaysHowFarApartTheProcessorsWere() throws {
    var row = comparison("a", 35)
    row.transfer = 171.25
    var results = Results(machine: machine)
    results.comparisons = [row]
    #expect(Table.markdown(results).contains("| met | 171 ns |"))
  }
}
