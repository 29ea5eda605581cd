// CFRunLoopRunResult — why a run of a loop has ended.

/// Why a run of a loop has ended.
///
/// Source: Apple's documentation of `CFRunLoopRunResult`.
public enum CFRunLoopRunResult: Int32, Sendable {
  /// The mode has no source and no timer any more, or never had.
  case finished = 1
  /// ``CFRunLoopStop(_:)`` was called.
  case stopped = 2
  /// The time was over.
  case timedOut = 3
  /// A source was handled, and the run was to end then.
  case handledSource = 4
}
