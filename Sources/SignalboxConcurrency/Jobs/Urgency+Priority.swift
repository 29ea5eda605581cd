// Urgency+Priority — the priorities of Swift's tasks as classes of urgency.

import SignalboxRuntime

extension Band {
  /// - Parameter priority: in the runtime's numbers, which are those of the classes of quality
  ///   of service; 0 where nothing is said. What lies between two counts as the lower one.
  @inline(__always)
  init(ofJob priority: UInt8) {
    switch priority {
    case 0, TaskPriority.medium.rawValue..<TaskPriority.high.rawValue: self = .standard
    case TaskPriority.high.rawValue..<33: self = .userInitiated
    case 33...: self = .userInteractive
    case TaskPriority.low.rawValue..<TaskPriority.medium.rawValue: self = .utility
    default: self = .background
    }
  }
}

extension UnownedJob {
  /// How urgent the job is.
  var urgency: Urgency { Urgency(Band(ofJob: priority.rawValue)) }
}
