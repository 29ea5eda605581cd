// What a barrier forbids is not seen with one. What may be seen without one is not
// asserted: that is the processor's choice, and the model's to show.

import Testing

@testable import Litmus

@Suite(.serialized) struct LitmusTests {
  static let tests = [LitmusTest.storeBuffering, .messagePassing]

  @Test(arguments: tests)
  func fourStepsHave24OrdersAndSixKeepEachThreads(_ test: LitmusTest) {
    #expect(Set(test.orders.map { $0.map(\.description) }).count == 24)
    #expect(test.keptOrders.count == 6)
    let all = LitmusTest.counts(of: test.orders)
    let kept = LitmusTest.counts(of: test.keptOrders)
    #expect(all.count == 4)
    #expect(all.values.reduce(0, +) == 24)
    #expect(Set(all.keys).subtracting(kept.keys) == [test.forbidden])
  }

  @Test(arguments: tests, [false, true])
  func everyRoundHasAnOutcomeThatIsAllowed(_ test: LitmusTest, _ hasBarrier: Bool) {
    let rounds = 1000
    let seen = Experiment(test: test, rounds: rounds, hasBarrier: hasBarrier).run()
    #expect(seen.values.reduce(0, +) == rounds)
    #expect(Set(seen.keys).isSubset(of: LitmusTest.counts(of: test.orders).keys))
    if hasBarrier { #expect(seen[test.forbidden] == nil) }
  }

  @Test func theTableHasEveryOutcomeOnce() {
    let test = LitmusTest.storeBuffering
    let table = Table(
      test: test, without: [Outcome(x: 0, y: 0): 7, Outcome(x: 1, y: 1): 3],
      with: [Outcome(x: 0, y: 1): 10])
    let rows = table.lines.suffix(4).map { $0.split(separator: " ").prefix(6).map { Int($0)! } }
    #expect(
      rows == [
        [0, 0, 6, 0, 7, 0], [0, 1, 6, 1, 0, 10], [1, 0, 6, 1, 0, 0], [1, 1, 6, 4, 3, 0],
      ])
    #expect(table.lines[2] == "  A = 1; x = B  |  B = 1; y = A")
  }

  // MARK: The lost update

  @Test func fourOfSixOrdersLoseAnUpdate() {
    #expect(LostUpdate.counts == [1: 4, 2: 2])
  }

  @Test(arguments: [false, true])
  func anAtomicIncrementLosesNothing(isAtomic: Bool) {
    let rounds = 1000
    let seen = LostUpdate(rounds: rounds, isAtomic: isAtomic).run()
    #expect(seen.values.reduce(0, +) == rounds)
    if isAtomic { #expect(seen == [2: rounds]) }
    #expect(Set(seen.keys).isSubset(of: [1, 2]))
  }

  @Test func theTableOfTheLostUpdateHasBothOutcomes() {
    let lines = LostUpdate.lines(plain: [1: 3, 2: 7], atomic: [2: 10])
    let rows = lines.suffix(2).map { $0.split(separator: " ").prefix(4).map { Int($0)! } }
    #expect(rows == [[1, 4, 3, 0], [2, 2, 7, 10]])
  }
}
