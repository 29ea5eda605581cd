import BenchmarkRecord
import BenchmarkReport
import Foundation
import Testing

@Suite struct PeerTests {
  private static let go = PeerSide(language: "Go", library: "Go")
  private static let tokio = PeerSide(language: "Rust", library: "Tokio")
  private static let rayon = PeerSide(language: "Rust", library: "Rayon")

  private func sample(_ median: Double) -> PeerSample {
    PeerSample(median: median, processorTime: 2 * median, operations: 10)
  }

  private func comparison(
    row: String = "spawn", pinned: Bool = false, _ rounds: [[PeerSide: Double]],
    counts: [PeerSide: Counts] = [:]
  ) -> PeerComparison {
    PeerComparison(
      row: row, pinned: pinned, sides: [.signalbox, Self.go, Self.tokio, Self.rayon],
      rounds: rounds.map { PeerRound($0.mapValues(sample)) }, counts: counts, date: "2026-01-01")
  }

  @Test func aPeersLineIsASample() {
    let expected = PeerSample(median: 1.5, processorTime: 2.25, operations: 40)
    #expect(PeerSample("median=1.5\tprocessor=2.25\toperations=40") == expected)
  }

  @Test func aRecordOfACostIsASampleToo() {
    let record = Record(
      subject: "a", name: "a", title: "t = 1", unit: "ns", goal: .none, median: 1.5, minimum: 1,
      operations: 40, switches: 0, processorTime: 2.25)
    #expect(
      PeerSample(record.description)
        == PeerSample(median: 1.5, processorTime: 2.25, operations: 40))
  }

  @Test(arguments: [
    "", "median=1.5", "median=x\tprocessor=1\toperations=1", "median=1\tprocessor=1\toperations=0",
    "median=0\tprocessor=1\toperations=1", "median=1\toperations=1",
    "panic\tmedian=1\tprocessor=1\toperations=1",
  ])
  func aBrokenLineIsNoSample(line: String) {
    #expect(PeerSample(line) == nil)
  }

  @Test func theBestPeerHasTheSmallestMedian() {
    let row = comparison([
      [.signalbox: 10, Self.go: 30, Self.tokio: 1, Self.rayon: 20],
      [.signalbox: 10, Self.go: 30, Self.tokio: 40, Self.rayon: 20],
      [.signalbox: 10, Self.go: 30, Self.tokio: 40, Self.rayon: 20],
    ])
    #expect(row.best?.side == Self.rayon)
    #expect(row.signalbox?.median == 10)
    #expect(row.peers.map(\.side) == [Self.go, Self.tokio, Self.rayon])
    #expect(row.best?.processorTime == 40)
  }

  @Test func theRatioIsTheMedianOfTheRoundsRatios() {
    // The medians' ratio would be 2.
    let row = comparison([
      [.signalbox: 10, Self.go: 10], [.signalbox: 20, Self.go: 5], [.signalbox: 40, Self.go: 40],
    ])
    #expect(row.ratioMedian == 1)
    #expect(row.ratioUpperQuartile == 2.5)
    #expect(row.verdict == .met)
  }

  @Test(arguments: [(110.0, Comparison.Verdict.met), (110.1, .missed)])
  func theGoalIsATenthMoreThanTheBestPeer(ours: Double, verdict: Comparison.Verdict) {
    #expect(comparison([[.signalbox: ours, Self.go: 100]]).verdict == verdict)
  }

  @Test func aRoundWithoutASideHasNoRatio() {
    let row = comparison([
      [.signalbox: 10, Self.go: 20], [.signalbox: 10], [Self.go: 20],
      [.signalbox: 30, Self.go: 20],
    ])
    #expect(row.ratioMedian == 1)
    #expect(row.signalbox?.rounds == 3)
  }

  @Test func withoutOursOrAnyPeerTheRowHasFailed() {
    let rounds: [[[PeerSide: Double]]] = [[[.signalbox: 10]], [[Self.go: 10]], []]
    for rounds in rounds { #expect(comparison(rounds).verdict == .failed, "\(rounds)") }
  }

  @Test func aRowAndItsPinnedReadingAreKeptApart() throws {
    var results = Results(
      machine: Machine(processor: "P", cores: 2, architecture: "x86_64", kernel: "6.1"))
    let both = { (ours: Double) in
      [false, true].map { self.comparison(pinned: $0, [[.signalbox: ours, Self.go: 1]]) }
    }
    results.merge(peers: both(1) + [comparison(row: "serial", [[.signalbox: 5, Self.go: 1]])])
    results.merge(peers: [both(9)[1]])
    #expect(results.peers?.map(\.name) == ["serial", "spawn", "spawn-pinned"])
    #expect(results.peers?.map { $0.signalbox?.median } == [5, 1, 9])
    let file = try JSONEncoder().encode(results)
    #expect(try JSONDecoder().decode(Results.self, from: file) == results)
  }

  @Test func theTablesHaveACellForEachLanguage() {
    var results = Results(
      machine: Machine(processor: "P", cores: 2, architecture: "x86_64", kernel: "6.1"))
    let counts = Counts(instructions: nil, allocations: nil, systemCalls: 0.25)
    let round: [PeerSide: Double] = [.signalbox: 150, Self.go: 11_000, Self.tokio: 100]
    results.merge(peers: [comparison(pinned: true, [round], counts: [.signalbox: counts])])
    let lines = PeerTable.markdown(results).split(separator: "\n").map(String.init)
    let title = "[tasks started from outside the pool](#spawn), pinned"
    let expected = [
      "| row | Signalbox | Go | Rust | C++ | best peer | ratio | goal | met | line |",
      "| \(title) | 150 ns | 11.0 µs | Tokio 100 ns | – | Tokio | 1.50 (1.50–1.50) "
        + "| ≤ 1.10 | **not met** | – |",
      "| \(title) | 300 ns, 0.250 calls | 22.0 µs | Tokio 200 ns | – |",
    ]
    for line in expected { #expect(lines.contains(line), "\(line)\nis not in\n\(lines)") }
    #expect(lines.contains { $0.hasSuffix("Here `perf` counted no instructions.") })
  }

  @Test func quartilesAreInTheUnitOfTheirMedian() {
    var results = Results(
      machine: Machine(processor: "P", cores: 2, architecture: "x86_64", kernel: "6.1"))
    let rounds = [8_000.0, 12_000, 16_000].map { [PeerSide.signalbox: $0, Self.go: $0 / 1_000] }
    results.merge(peers: [comparison(rounds)])
    let table = PeerTable.markdown(results)
    #expect(table.contains("| 12.0 µs (10.0–14.0) | 12.0 ns (10.0–14.0) | – |"), "\(table)")
  }

  @Test func everyRowHasItsParagraph() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("Documentation/Peers.md"), encoding: .utf8)
    for row in PeerRow.all { #expect(page.contains("<a id=\"\(row.name)\"></a>"), "\(row.name)") }
    #expect(MarkedSection.replace(in: page, with: "", named: "peers table") != nil)
  }

  @Test func onlyRoundsAtOneDistanceCount() {
    let rounds = [(10.0, 30.0), (90.0, 170.0), (12.0, 28.0)].map { ours, transfer in
      PeerRound(
        [.signalbox: sample(ours), Self.go: sample(10)],
        transfers: Transfers(before: transfer, after: transfer))
    }
    let row = PeerComparison(
      row: "spawn", pinned: false, sides: [.signalbox, Self.go], rounds: rounds, counts: [:],
      date: "2026-01-01")
    #expect(row.ratioMedian == 1.1)
    #expect(row.transfer == 29)
  }
}
