// DispatchTimeInterval — a span of time in a unit that you choose.

/// A span of time in seconds, milliseconds, microseconds or nanoseconds, or
/// one that never ends.
///
/// Two intervals are equal if they are equally long, whatever their units.
///
/// Source: Apple's documentation of `DispatchTimeInterval`.
public enum DispatchTimeInterval: Equatable, Sendable {
  /// A number of seconds.
  case seconds(Int)
  /// A number of milliseconds.
  case milliseconds(Int)
  /// A number of microseconds.
  case microseconds(Int)
  /// A number of nanoseconds.
  case nanoseconds(Int)
  /// Longer than any other interval.
  case never

  /// The length in nanoseconds, saturated; `Int64.max` for `.never`.
  var saturatedNanoseconds: Int64 {
    switch self {
    case .seconds(let count): Self.product(count, 1_000_000_000)
    case .milliseconds(let count): Self.product(count, 1_000_000)
    case .microseconds(let count): Self.product(count, 1_000)
    case .nanoseconds(let count): Int64(count)
    case .never: Int64.max
    }
  }

  private static func product(_ count: Int, _ unit: Int64) -> Int64 {
    let (result, overflow) = Int64(count).multipliedReportingOverflow(by: unit)
    if !overflow { return result }
    return count > 0 ? Int64.max : Int64.min
  }

  public static func == (lhs: DispatchTimeInterval, rhs: DispatchTimeInterval) -> Bool {
    switch (lhs, rhs) {
    case (.never, .never): true
    case (.never, _), (_, .never): false
    default: lhs.saturatedNanoseconds == rhs.saturatedNanoseconds
    }
  }
}

/// Converts seconds to nanoseconds. The result saturates; not-a-number counts as forever.
func saturatedNanoseconds(_ seconds: Double) -> Int64 {
  let nanoseconds = seconds * 1_000_000_000
  if nanoseconds.isNaN || nanoseconds >= 0x1p63 { return Int64.max }
  if nanoseconds <= -0x1p63 { return Int64.min }
  return Int64(nanoseconds)
}
