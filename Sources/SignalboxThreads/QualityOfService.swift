// QualityOfService — the class of a thread's work.

package import SignalboxRuntime

/// A class of work: how soon the result is needed.
///
/// ```swift
/// let thread = Thread { sweep() }
/// thread.qualityOfService = .background
/// thread.start()
/// ```
///
/// The classes `utility` and `background` give a thread a lower kernel priority. `userInitiated`
/// and `userInteractive` give it a higher one if the process may raise priorities (as root, or by
/// `ulimit -e`). The work that the thread submits to queues without a class inherits the thread's
/// class.
///
/// Source: Apple's documentation of `QualityOfService`.
public enum QualityOfService: Int, Sendable {
  /// Work that draws or responds at this moment.
  case userInteractive = 0x21
  /// Work that the user waits for.
  case userInitiated = 0x19
  /// Work that takes a while and shows its progress.
  case utility = 0x11
  /// Work that the user does not see.
  case background = 0x09
  /// No class specified.
  case `default` = -1

  /// The urgency of the class; `default` specifies none.
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

  /// The difference from the process's nice value. On a busy processor, a nice value that is lower
  /// by 5 gives a thread three times the share.
  var niceness: Int32 {
    switch self {
    case .userInteractive: -10
    case .userInitiated: -5
    case .utility, .background, .default: Tier(of: urgency.or(.standard)).niceness
    }
  }
}
