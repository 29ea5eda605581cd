// SignalboxReport — what the process's threads do at this moment, in words.

import SignalboxDispatch
import SignalboxRuntime

/// Says what each thread does: what it waits for and who holds that, or whether it
/// runs.
///
/// ```swift
/// signal.setEventHandler { SignalboxReport.print() }
/// ```
///
/// *Beyond Apple's API.*
public enum SignalboxReport {
  /// One line for each thread that waits in a call of this library, and then one for
  /// each other thread of the process.
  ///
  /// ```
  /// thread 7 (kernel 4711, "painter") waits for the NSLock "canvas" (for 21 ms), held by
  /// thread 3 (kernel 4707, "loader")
  /// thread 3 (kernel 4707, "loader") runs
  /// thread 4 (kernel 4708, "sb-default-1") is ready, and waits for a processor
  /// ```
  ///
  /// The threads go on meanwhile: the lines are of slightly different moments. The
  /// kernel keeps fifteen bytes of a name.
  ///
  /// Any thread. It takes each waiting thread's record lock for a moment, and reads
  /// some small files of `/proc` for each thread.
  public static var text: String {
    let (blocked, waiting) = BlockedReport.textAndThreads()
    let others = ThreadSurvey.threads.filter { $0.number == 0 || !waiting.contains($0.number) }
    return ([blocked] + others.map { "\($0.name) \($0.state.words)" }).joined(separator: "\n")
  }

  /// Prints ``text`` to standard output.
  public static func print() { Swift.print(text) }
}
