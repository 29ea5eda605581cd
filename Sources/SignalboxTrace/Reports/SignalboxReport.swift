// SignalboxReport — what the process's threads do at this moment, in words.

import SignalboxDispatch

/// Says what waits, on what, and behind whom.
///
/// *Beyond Apple's API.*
public enum SignalboxReport {
  /// One line for each thread that waits in a call of this library.
  ///
  /// Any thread. It takes each waiting thread's record lock for a moment.
  public static var text: String { BlockedReport.text() }

  /// Prints ``text`` to standard output.
  public static func print() { Swift.print(text) }
}
