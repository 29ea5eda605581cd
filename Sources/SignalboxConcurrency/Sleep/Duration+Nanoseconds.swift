// Duration+Nanoseconds — durations as the driver has them.

import SignalboxRuntime

extension Duration {
  /// In whole nanoseconds: none if it is negative, the most that there are if it is longer.
  var nanoseconds: UInt64 {
    if self <= .zero { return 0 }
    let (seconds, attoseconds) = components
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let part = UInt64((attoseconds + 999_999_999) / 1_000_000_000)
    return whole.overflow ? .max : whole.partialValue.saturatingAdd(part)
  }
}
