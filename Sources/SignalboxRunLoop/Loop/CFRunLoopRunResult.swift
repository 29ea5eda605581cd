// CFRunLoopRunResult — the reason why a run of a loop has ended.

/// The reason why a run of a loop has ended.
///
/// Source: Apple's documentation of `CFRunLoopRunResult`.
public enum CFRunLoopRunResult: Int32, Sendable {
  /// The mode has no source and no timer.
  case finished = 1
  /// A thread called ``CFRunLoopStop(_:)``.
  ///
  /// *Differences*: a stop counts even in a run whose time limit has passed. CoreFoundation then
  /// reports the time limit, and the stop is lost.
  case stopped = 2
  /// The time limit passed, and no thread stopped the run.
  case timedOut = 3
  /// The loop handled a source, and the run was asked to return after one.
  case handledSource = 4
}
