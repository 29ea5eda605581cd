// Urgency+Priority — the priorities of Swift's tasks as classes of urgency.

import SignalboxRuntime

/// The runtime's numbers, which are those of the classes of quality of service. As numbers,
/// because each of `TaskPriority`'s names is two calls into the runtime; a test compares them.
enum PriorityNumber {
  static let utility: UInt8 = 17
  static let medium: UInt8 = 21
  static let high: UInt8 = 25
  static let userInteractive: UInt8 = 33
}

extension Band {
  /// - Parameter priority: in the runtime's numbers; 0 where nothing is said. What lies between
  ///   two counts as the lower one.
  @inline(__always)
  init(ofJob priority: UInt8) {
    switch priority {
    case 0, PriorityNumber.medium..<PriorityNumber.high: self = .standard
    case PriorityNumber.high..<PriorityNumber.userInteractive: self = .userInitiated
    case PriorityNumber.userInteractive...: self = .userInteractive
    case PriorityNumber.utility..<PriorityNumber.medium: self = .utility
    default: self = .background
    }
  }
}

extension UnownedJob {
  /// How urgent the job is.
  var urgency: Urgency { Urgency(Band(ofJob: priority.rawValue)) }
}
