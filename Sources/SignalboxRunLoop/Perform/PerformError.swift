// PerformError — the reason why a thread does not perform a block.

/// The reason why a thread does not perform a block.
///
/// *Beyond Apple's API.* With Apple's API such a call waits forever.
public enum PerformError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The thread does not run its run loop.
  case noRunningLoop
  /// The thread ended before it could perform the block.
  case threadEnded

  public var description: String {
    switch self {
    case .noRunningLoop:
      "the thread runs no run loop, which would perform it: have it call RunLoop.current.run()."
    case .threadEnded: "the thread has ended."
    }
  }
}
