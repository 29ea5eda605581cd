import BenchmarkRecord
import BenchmarkReport
import Testing

@Suite struct ComparisonTests {
  private func record(_ median: Double, goal: Goal, note: String = "") -> Record {
    Record(
      subject: "s", name: "s", title: "t", unit: "ns", goal: goal, median: median,
      minimum: median, operations: 1, switches: 0, note: note)
  }

  private func comparison(
    _ ours: [Double?], _ theirs: [Double?], goal: Goal, note: String = ""
  ) -> Comparison? {
    let rounds = zip(ours, theirs).map { ours, theirs in
      Round(
        signalbox: ours.map { record($0, goal: goal, note: note) },
        toolchain: theirs.map { record($0, goal: goal) })
    }
    return Comparison(rounds: rounds, date: "2026-01-01")
  }

  @Test func theRatioIsTheMedianOfTheRoundsRatios() throws {
    // The rounds' ratios are 0.5, 0.4 and 0.3; the ratio of the medians would be 0.5.
    let row = try #require(
      comparison([5, 4, 30], [10, 10, 100], goal: .ratio(0.4, required: true)))
    #expect(row.ratio == 0.4)
    #expect(row.verdict == .met)
    #expect(row.isRequired)
  }

  @Test func theRatioLiesWithinItsQuartiles() throws {
    // The machine is ten times as slow in one round. The ratio of the medians, 5 to 10, would lie
    // above the upper quartile of 0.5, 0.4 and 0.3.
    let row = try #require(comparison([5, 4, 30], [10, 10, 100], goal: .none))
    let ratio = try #require(row.ratio)
    #expect(try #require(row.ratioLowerQuartile) <= ratio)
    #expect(ratio <= (try #require(row.ratioUpperQuartile)))
  }

  @Test func aGoalIsJudgedByTheMedianOfTheRatios() throws {
    // The medians' ratio, 5 to 10, would meet the goal; two rounds of three do not.
    let row = try #require(comparison([5, 9, 4], [5, 10, 40], goal: .ratio(0.5, required: true)))
    #expect(row.ratio == 0.9)
    #expect(row.verdict == .missed)
  }

  @Test func aRowMeasuredBeforeTheMedianWasKeptHasTheRatioOfItsMedians() throws {
    var row = try #require(comparison([5, 9, 4], [5, 10, 40], goal: .none))
    row.ratioMedian = nil
    #expect(row.ratio == 0.5)
  }

  @Test func aRoundInWhichTheToolchainHasNothingHasNoRatio() throws {
    let row = try #require(comparison([2, 1, 3], [0, 4, 6], goal: .none))
    #expect(row.ratio == 0.375)
  }

  @Test func aRatioJustAboveItsGoalIsMissed() throws {
    let row = try #require(comparison([4.001], [10], goal: .ratio(0.4, required: false)))
    #expect(row.verdict == .missed)
    #expect(!row.isRequired)
  }

  @Test func aValueIsJudgedByItself() throws {
    #expect(comparison([100], [1], goal: .value(100))?.verdict == .met)
    #expect(comparison([101], [1_000], goal: .value(100))?.verdict == .missed)
  }

  @Test func whatTheToolchainHasNotGotIsJudgedByItself() {
    #expect(comparison([1.03], [nil], goal: .alone(1.03, required: true))?.verdict == .met)
    #expect(comparison([1.04], [nil], goal: .alone(1.03, required: true))?.verdict == .missed)
    #expect(comparison([1.03], [nil], goal: .value(1.03))?.verdict == .failed)
    #expect(comparison([nil], [nil], goal: .alone(1, required: false)) == nil)
  }

  @Test func whatDidNotComeToItsEndMeetsNoLimit() throws {
    let row = comparison([50], [50], goal: .value(100), note: "12 of 64")
    #expect(row?.verdict == .missed)
  }

  @Test func aSideThatFailedInEveryRoundFailsTheRow() {
    #expect(comparison([nil], [10], goal: .ratio(1, required: true))?.verdict == .failed)
    #expect(comparison([10], [nil], goal: .ratio(1, required: true))?.verdict == .failed)
    #expect(comparison([nil], [nil], goal: .none) == nil)
  }

  @Test func aRoundThatFailedLeavesTheOthers() throws {
    let row = try #require(comparison([nil, 2, 2], [4, nil, 4], goal: .none))
    #expect(row.signalbox?.rounds == 2)
    #expect(row.toolchain?.rounds == 2)
    #expect(row.ratioLowerQuartile == 0.5)
    #expect(row.verdict == .open)
  }

  // MARK: Distances

  private func comparison(
    _ rounds: [(ours: Double, before: Double, after: Double)]
  ) -> Comparison? {
    Comparison(
      rounds: rounds.map {
        Round(
          signalbox: record($0.ours, goal: .none), toolchain: record(100, goal: .none),
          transfers: Transfers(before: $0.before, after: $0.after))
      }, date: "2026-01-01")
  }

  @Test func onlyRoundsAtOneDistanceCount() throws {
    let row = try #require(comparison([(50, 30, 28), (90, 170, 171), (52, 30, 30), (10, 29, 165)]))
    #expect(row.signalbox?.rounds == 2)
    #expect(row.ratio == 0.51)
    #expect(row.transfer == 30)
  }

  @Test func mostRoundsDecideTheDistance() throws {
    let row = try #require(comparison([(50, 30, 30), (90, 170, 170), (92, 160, 180)]))
    #expect(row.ratio == 0.91)
    #expect(row.transfer == 170)
  }

  @Test func roundsOfMovedProcessorsCountIfThereAreNoOthers() throws {
    let row = try #require(comparison([(50, 30, 170), (60, 170, 30)]))
    #expect(row.signalbox?.rounds == 2)
    #expect(row.ratio == 0.55)
  }

  @Test func distanceThatWasNotMeasuredIsNotShown() throws {
    #expect(try #require(comparison([1], [2], goal: .none)).transfer == nil)
  }
}
