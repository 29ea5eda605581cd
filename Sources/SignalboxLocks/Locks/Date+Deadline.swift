// Date+Deadline — a point of the wall clock as the waiting door takes it.

package import SignalboxRuntime

extension Date {
  /// The same moment, on the wall clock. A date beyond what 64 bits of nanoseconds
  /// hold, as `distantFuture` is, never comes; one before 1970, or that is no number,
  /// has passed.
  package var deadline: Deadline {
    let nanoseconds = timeIntervalSince1970 * 1e9
    if !(nanoseconds > 0) { return Deadline(.wall, 0) }
    // Beyond 2262 the kernel refuses what it cannot count from there.
    if nanoseconds >= Double(Int64.max) { return .never }
    return Deadline(.wall, UInt64(nanoseconds))
  }
}
