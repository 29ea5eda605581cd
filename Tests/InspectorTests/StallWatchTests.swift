// StallWatchTests — when work that waits is a stall, and that each stall is told once.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct StallWatchTests {
  private let a = StallMark(key: "queue 1 5 0", words: "no item of the queue \"a\" has begun")
  private let later = StallMark(key: "queue 1 6 0", words: "no item of the queue \"a\" has begun")
  private let b = StallMark(key: "queue 2 0 0", words: "no item of the queue \"b\" has begun")

  @Test func aStallIsToldOnceAfterItsTime() {
    var watch = StallWatch(limit: 100)
    #expect(watch.look([a], at: 1000).isEmpty)
    #expect(watch.look([a], at: 1099).isEmpty)
    #expect(watch.look([a], at: 1100) == [a])
    #expect(watch.look([a], at: 5000).isEmpty)
  }

  @Test func progressBeginsAnew() {
    var watch = StallWatch(limit: 100)
    #expect(watch.look([a], at: 0).isEmpty)
    #expect(watch.look([later], at: 99).isEmpty)
    #expect(watch.look([later], at: 198).isEmpty)
    #expect(watch.look([later], at: 199) == [later])
  }

  @Test func aStallThatEndsAndBeginsAgainIsToldAgain() {
    var watch = StallWatch(limit: 100)
    _ = watch.look([a], at: 0)
    #expect(watch.look([a], at: 100) == [a])
    #expect(watch.look([], at: 110).isEmpty)
    #expect(watch.look([a], at: 120).isEmpty)
    #expect(watch.look([a], at: 220) == [a])
  }

  @Test func aSecondStallIsToldBesideTheFirst() {
    var watch = StallWatch(limit: 100)
    _ = watch.look([a], at: 0)
    #expect(watch.look([a, b], at: 100) == [a])
    #expect(watch.look([b, a], at: 200) == [b])
  }

  @Test func aMarkIsTheSameFromItsLine() {
    #expect(StallMark(line: a.line) == a && StallMark(line: a.line)?.words == a.words)
    #expect(StallMark(line: "refused because") == nil)
  }

  // MARK: Of processes

  /// Asks until the marks are as expected, and returns the last ones.
  private func marks(
    _ scenario: HungScenario, _ isExpected: ([StallMark]) -> Bool
  ) throws -> [StallMark] {
    let program = try LiveProgram(scenario)
    return try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let deadline = Uptime.now() + RealTime.wedge
      var marks: [StallMark]
      repeat {
        marks = try Target.report(of: program.process, hasStacks: false).stallMarks
      } while !isExpected(marks)
        && Uptime.now() < deadline
      return marks
    }
  }

  @Test func threadsThatWaitForEachOtherAreAMark() throws {
    let marks = try marks(.hungTwoLocks) { !$0.isEmpty }
    #expect(marks.count == 1 && marks[0].words.hasSuffix(" have waited for each other"), "\(marks)")
    let own = try self.marks(.hungItself) { !$0.isEmpty }
    #expect(own.count == 1 && own[0].words.hasSuffix(" has waited for itself"), "\(own)")
  }

  @Test func itemsBehindAThreadThatWaitsAreAMark() throws {
    let words = "no item of the queue \"hung.once\" has begun"
    let marks = try marks(.hungTwice) { $0.contains { $0.words == words } }
    #expect(marks.map(\.words) == [words])
  }

  /// Somebody has decided that they do not run.
  @Test func itemsOfASuspendedQueueAreNoMark() throws {
    let program = try LiveProgram(HungScenario.hungNothing)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let report = try Target.report(of: program.process, hasStacks: false)
      #expect(report.inspections.contains { !$0.queueLines.isEmpty } && report.stallMarks.isEmpty)
    }
  }
}
