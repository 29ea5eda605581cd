// WaitLengthTests — the duration of a wait in words.

import SignalboxDiagnostics
import SignalboxRuntime
import Testing

@Suite struct WaitLengthTests {
  @Test(
    arguments: [
      (0, "0 ns"), (999, "999 ns"), (1_000, "1 µs"), (21_999_999, "21 ms"), (1_000_000_000, "1 s"),
      (59_999_999_999, "59 s"), (60_000_000_000, "1 min"), (3_599_000_000_000, "59 min"),
      (86_399_000_000_000, "23 h"), (172_800_000_000_000, "2 d"),
    ] as [(UInt64, String)])
  func lengthIsInTheLargestUnitThatFitsOnce(nanoseconds: UInt64, words: String) {
    #expect(WaitLength(nanoseconds: nanoseconds).words == words)
  }
}
