// LengthOfTime — a time such as 500ms, 10s or 2m, as an argument.

enum LengthOfTime {
  /// In nanoseconds; nil if the text is not such a time, or if the time is zero or too long.
  static func nanoseconds(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units: [String: UInt64] = ["ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000]
    guard let number = UInt64(digits), number > 0,
      let unit = units[String(text[digits.endIndex...])]
    else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: unit)
    return overflows || product > UInt64(Int64.max) ? nil : product
  }
}
