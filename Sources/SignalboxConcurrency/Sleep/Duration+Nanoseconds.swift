// Duration+Nanoseconds — converts durations for the driver.

import SignalboxRuntime

extension Duration {
  /// The duration in whole nanoseconds, rounded up and clamped to the range of `UInt64`.
  var nanoseconds: UInt64 {
    if self <= .zero { return 0 }
    let (seconds, attoseconds) = components
    let whole = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let part = UInt64((attoseconds + 999_999_999) / 1_000_000_000)
    return whole.overflow ? .max : whole.partialValue.saturatingAdd(part)
  }
}
