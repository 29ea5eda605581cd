// Date+Arithmetic — the operators that programs use on dates for locks and threads.
//
// A module that re-exports only `Date` does not re-export its operators.

extension Date {
  /// The date `seconds` seconds later.
  @_disfavoredOverload
  public static func + (date: Date, seconds: Double) -> Date { date.addingTimeInterval(seconds) }

  /// The date `seconds` seconds earlier.
  @_disfavoredOverload
  public static func - (date: Date, seconds: Double) -> Date { date.addingTimeInterval(-seconds) }

  /// Moves the date `seconds` seconds later.
  @_disfavoredOverload
  public static func += (date: inout Date, seconds: Double) { date.addTimeInterval(seconds) }

  /// Moves the date `seconds` seconds earlier.
  @_disfavoredOverload
  public static func -= (date: inout Date, seconds: Double) { date.addTimeInterval(-seconds) }
}
