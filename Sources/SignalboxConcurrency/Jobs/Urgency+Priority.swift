// Urgency+Priority — converts the priorities of Swift's tasks to QoS classes.

import SignalboxRuntime

/// The runtime's numbers, which equal those of the QoS classes. They are constants because each
/// of `TaskPriority`'s names costs two calls into the runtime; a test compares them.
enum PriorityNumber {
  static let utility: UInt8 = 17
  static let medium: UInt8 = 21
  static let high: UInt8 = 25
  static let userInteractive: UInt8 = 33
}

extension Band {
  /// - Parameter priority: a number from the runtime; 0 means unspecified. A number between two
  ///   classes counts as the lower one.
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
  var urgency: Urgency { Urgency(Band(ofJob: priority.rawValue)) }
}
