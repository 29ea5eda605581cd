// QualityOfService — how much a thread's work matters to who waits for it.

package import SignalboxRuntime

/// A class of work: how soon it is wanted.
///
/// ```swift
/// let thread = Thread { sweep() }
/// thread.qualityOfService = .background
/// thread.start()
/// ```
///
/// The classes `utility` and `background` give a thread a lower kernel priority;
/// `userInitiated` and `userInteractive` give it a higher one where the process may raise
/// priorities (as root, or by `ulimit -e`). All of them are handed on to what the thread submits
/// to queues that say nothing themselves.
///
/// Source: Apple's documentation of `QualityOfService`.
public enum QualityOfService: Int, Sendable {
  /// For what is drawn or answered at this moment.
  case userInteractive = 0x21
  /// For what somebody waits for.
  case userInitiated = 0x19
  /// For what takes a while, and somebody sees its progress.
  case utility = 0x11
  /// For what nobody sees.
  case background = 0x09
  /// Where nothing was said.
  case `default` = -1

  /// Nothing is said by `default`.
  package var urgency: Urgency {
    switch self {
    case .userInteractive: .userInteractive
    case .userInitiated: .userInitiated
    case .utility: .utility
    case .background: .background
    case .default: .unspecified
    }
  }

  init(_ urgency: Urgency) {
    switch urgency.band {
    case .userInteractive: self = .userInteractive
    case .userInitiated: self = .userInitiated
    case .utility: self = .utility
    case .background: self = .background
    case .standard, nil: self = .default
    }
  }

  /// What is added to the process's nice value. A step of 5 is three times the share of a busy
  /// processor.
  var niceness: Int32 {
    switch self {
    case .userInteractive: -10
    case .userInitiated: -5
    case .utility, .background, .default: Tier(of: urgency.or(.standard)).niceness
    }
  }
}
