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
    return Deadline(.wall, UInt64(nanoseconds))
  }
}
