// Date+Arithmetic — the sums that `Date()` is used in beside a lock or a thread.
//
// A module that re-exports `Date` alone does not bring its operators along.

extension Date {
  /// The date so many seconds later.
  @_disfavoredOverload
  public static func + (date: Date, seconds: Double) -> Date { date.addingTimeInterval(seconds) }

  /// The date so many seconds earlier.
  @_disfavoredOverload
  public static func - (date: Date, seconds: Double) -> Date { date.addingTimeInterval(-seconds) }

  /// Moves the date so many seconds on.
  @_disfavoredOverload
  public static func += (date: inout Date, seconds: Double) { date.addTimeInterval(seconds) }

  /// Moves the date so many seconds back.
  @_disfavoredOverload
  public static func -= (date: inout Date, seconds: Double) { date.addTimeInterval(-seconds) }
}
