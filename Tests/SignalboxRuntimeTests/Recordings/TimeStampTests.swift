// TimeStampTests — the stamp of an item that waits: a time and a row in one word.

import SignalboxRuntime
import Testing

@testable import SignalboxDiagnostics

@Suite struct TimeStampTests {
  /// On a machine that has been up for more than two years, the time does not fit beside the row.
  @Test(arguments: [0, 1 << 56 - 5, 1 << 56, 1 << 60, .max - 1_000_000] as [UInt64])
  func aWaitIsAsLongAsItWasHoweverLongTheMachineHasBeenUp(_ time: UInt64) {
    for waited in [0, 7, 1_000_000] as [UInt64] {
      let stamp = QueueTimes.stamp(time, 200)
      #expect(stamp & 0xFF == 200)
      #expect(QueueTimes.waited(stamp, until: time &+ waited) == waited)
    }
  }

  @Test func timeThatSeemsToGoBackIsNoTime() {
    #expect(UInt64(5).saturatingSubtract(7) == 0)
    #expect(UInt64(7).saturatingSubtract(5) == 2)
  }
}
