// DataFactsTests — the memory that data takes, counted in a process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  // MARK: Data

  @Test func aMillionSmallAppendsCostLittleMoreThanTheirBytes() throws {
    let count = 1_000_000
    let facts = try Facts(of: DataScenario.appendsToData, "\(count)")
    #expect(try facts.integer("count") == 64 * count)
    // The spare capacity, and the memory of the pieces themselves.
    #expect(try facts.integer("bytesInUse") < 65 * count)
    #expect(try facts.integer("pieces") < 300)
    facts.note("bytesInUse")
  }

  /// Deep recursion would crash the process, and quadratic time would exceed the scenario's
  /// limit.
  @Test func aMillionPiecesAreFoundAndFreedInAnyOrder() throws {
    let (behind, inFront) = (1_000_000, 100_000)
    let facts = try Facts(of: DataScenario.dataOfManyPieces, "\(behind)", "\(inFront)")
    #expect(try facts.integer("wrongBehind") == 0)
    #expect(try facts.integer("wrongInFront") == 0)
    #expect(try facts.integer("piecesBehind") == behind)
    #expect(try facts.integer("piecesInFront") == inFront)
    #expect(try facts.integer("left") < 4096)
    facts.note("left")
  }

  @Test func aSmallSliceKeepsNoLargeCopy() throws {
    let facts = try Facts(of: DataScenario.smallSlicesOfLargeData)
    #expect(try facts.integer("keptOfCopies") < 64 * 1024)
    // The memory must be returned when the last reader is gone, and not before.
    #expect(try facts.integer("keptOfLent") > 64 << 20)
    #expect(try facts.integer("left") < 64 * 1024)
  }

  @Test func dataLeavesNothingBehind() throws {
    let count = 2_000
    let facts = try Facts(of: DataScenario.dataIsFreed, "\(count)")
    #expect(try facts.integer("ran") == count * facts.integer("rounds"))
    #expect(try facts.integer("leftByTheBestRound") < count)
    facts.note("leftByAllRounds")
  }
}
