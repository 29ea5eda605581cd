// CancelledAsyncAfterFactsTests — what a cancelled `asyncAfter` leaves behind.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  @Test func aCancelledAsyncAfterHasFreedItsCapturesWhenCancelReturns() throws {
    let count = 1000
    let facts = try Facts(of: CancellationScenario.capturesOfACancelledAsyncAfter, "\(count)")
    #expect(try facts.integer("capturedWhilePending") == count)
    #expect(try facts.integer("heldAfterCancel") == 0)
    #expect(try facts.integer("alive") == 0)
    #expect(try facts.integer("cancelled") == count)
    #expect(try facts.integer("ran") == 0)
  }
}
