// PerformError — why a thread does not perform what it was given.

/// Why a thread does not perform what it was given.
///
/// *Beyond Apple's API.* There such a call waits for ever.
public enum PerformError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No run loop runs on the thread.
  case noRunningLoop
  /// The thread has ended, or ended before it came to it.
  case threadEnded

  public var description: String {
    switch self {
    case .noRunningLoop:
      "the thread runs no run loop, which would perform it: have it call RunLoop.current.run()."
    case .threadEnded: "the thread has ended."
    }
  }
}
