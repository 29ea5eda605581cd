// OperationCountStressTests — great numbers of operations, and long chains of them, counted in a
// process of its own.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.serialized) struct OperationCountStressTests {
  /// Ordinary runs use a fifth of the number.
  @Test func aMillionOperationsCanBeQueued() throws {
    let count = Stress.together > .seconds(10) ? 1_000_000 : 200_000
    let facts = try Facts(of: OperationScenario.aMillionOperations, "\(count)")
    #expect(try facts.integer("queued") == count)
    #expect(try facts.integer("ranWhileSuspended") == 0)
    #expect(try facts.integer("ran") == count)
    #expect(try facts.integer("left") == 0)
    facts.note("millisecondsToAdd")
    facts.note("millisecondsToRun")
  }

  @Test func aMillionOperationsCanBeCancelled() throws {
    let count = Stress.together > .seconds(10) ? 1_000_000 : 100_000
    let facts = try Facts(of: OperationScenario.aMillionOperationsCancelled, "\(count)")
    #expect(try facts.integer("ran") == 0)
    #expect(try facts.integer("left") == 0)
    facts.note("milliseconds")
  }

  /// The other ways to make and end a chain. Ordinary runs use shorter chains.
  @Test(arguments: [
    OperationChainScenario.chainOfOperationsOfWidthOne,
    .chainOfOperationsAddedBackwards, .chainOfOperationsLinkedBackwards,
    .chainOfOperationsLinkedInAnyOrder,
    .chainOfOperationsOfWhichEachIsQueuedAtOnce,
    .chainOfOperationsStartedByHand, .chainOfOperationsThatIsCancelled,
    .chainOfCancelledOperationsBeforeOneThatRuns, .chainOfOperationsThatNeverRuns,
  ])
  func longChainsRunAndAreFreedWithoutRecursion(_ scenario: OperationChainScenario) throws {
    let length = Stress.together > .seconds(10) ? 100_000 : 20_000
    let facts = try Facts(of: scenario, "\(length)")
    #expect(try facts.integer("alive") == 0)
    facts.note("milliseconds")
  }
}
