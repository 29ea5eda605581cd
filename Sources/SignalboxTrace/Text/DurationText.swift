// DurationText — formats nanoseconds for people, with three digits.

enum DurationText {
  private static let units: [(size: Int64, name: String)] = [
    (1, "ns"), (1000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s"),
  ]

  /// Formats a duration in at most eight columns: "0", "17 ns", "1.25 µs", "340
  /// ms", "12.5 s", "5m 20s", "3h 05m", "12 d". Rounds half up.
  static func text(_ nanoseconds: TraceModel.Time) -> String {
    guard nanoseconds > 0 else { return nanoseconds == 0 ? "0" : "?" }
    // A damaged recording may contain any number: half of the range leaves room
    // to round.
    let nanoseconds = min(nanoseconds, .max / 2)
    for (index, unit) in units.enumerated() {
      // Compute hundredths of the unit, rounded to the digits shown, so that
      // 999.6 doesn't become "1000".
      let isWhole = unit.size == 1
      var value = hundredths(nanoseconds, unit.size)
      value =
        value < 1000 ? value : value < 10000 ? (value + 5) / 10 * 10 : (value + 50) / 100 * 100
      let isLast = index == units.count - 1
      if value < 100_000 && !isLast || value < 10_000 {
        return "\(digits(value, isWhole: isWhole)) \(unit.name)"
      }
    }
    let seconds = (nanoseconds - 1) / 1_000_000_000 + 1
    if seconds < 3600 { return "\(seconds / 60)m \(two(seconds % 60))s" }
    let minutes = seconds / 60
    if minutes < 6000 { return "\(minutes / 60)h \(two(minutes % 60))m" }
    return "\(minutes / 1440) d"
  }

  private static func hundredths(_ nanoseconds: Int64, _ unit: Int64) -> Int64 {
    unit >= 100 ? (nanoseconds + unit / 200) / (unit / 100) : nanoseconds.multipliedOrHalf(100)
  }

  private static func digits(_ hundredths: Int64, isWhole: Bool) -> String {
    let (whole, part) = (hundredths / 100, hundredths % 100)
    if isWhole || whole >= 100 || part == 0 { return "\(whole)" }
    if whole >= 10 || part % 10 == 0 { return "\(whole).\(part / 10)" }
    return "\(whole).\(two(part))"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
  /// The product, capped at half of the maximum so that the sum of two results
  /// can't overflow.
  func multipliedOrHalf(_ other: Int64) -> Int64 {
    let (product, isTooMuch) = multipliedReportingOverflow(by: other)
    return isTooMuch ? .max / 2 : Swift.min(product, .max / 2)
  }

  /// The sum, capped at half of the maximum and half of the minimum.
  func addedOrHalf(_ other: Int64) -> Int64 {
    let (sum, isTooMuch) = addingReportingOverflow(other)
    let bound: Int64 = other < 0 ? .min / 2 : .max / 2
    return isTooMuch ? bound : Swift.min(Swift.max(sum, .min / 2), .max / 2)
  }
}
