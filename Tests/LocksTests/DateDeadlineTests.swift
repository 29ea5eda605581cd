// DateDeadlineTests — dates as deadlines of waits.

import SignalboxLocks
import SignalboxRuntime
import Testing

@Suite struct DateDeadlineTests {
  /// Between 2018 and 2035 a date is a multiple of 1 / 8,388,608 of a second.
  @Test func aDeadlineIsTheDateRoundedUpToANanosecond() {
    for step in 0...1_000 {
      let date = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(step) / 8_388_608)
      let rest = (UInt64(step) * 1_000_000_000 + 8_388_607) / 8_388_608
      #expect(date.deadline.nanoseconds == 1_778_307_200_000_000_000 + rest)
    }
  }
}
