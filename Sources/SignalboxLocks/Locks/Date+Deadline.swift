// Date+Deadline — a date as a deadline of `Parking`.

package import SignalboxRuntime

extension Date {
  /// The same moment on the wall clock. A date beyond 64 bits of nanoseconds, such as
  /// `distantFuture`, is never reached. A date before 1970, or one that is not a number, has
  /// passed.
  package var deadline: Deadline {
    let nanoseconds = timeIntervalSince1970 * 1e9
    if !(nanoseconds > 0) { return Deadline(.wall, 0) }
    // Beyond the year 2262 the kernel refuses the time.
    if nanoseconds >= Double(Int64.max) { return .never }
    // `nanoseconds` itself is too coarse: as a double, it may be a quarter of a microsecond early.
    // This is exact, and rounded up if the date is finer than a nanosecond, so no wait ends early.
    let whole = timeIntervalSinceReferenceDate.rounded(.down)
    let seconds = UInt64(whole + Date.timeIntervalBetween1970AndReferenceDate)
    let rest = ((timeIntervalSinceReferenceDate - whole) * 1e9).rounded(.up)
    return Deadline(.wall, seconds * 1_000_000_000 + UInt64(rest))
  }
}
