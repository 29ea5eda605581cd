// DispatchQueue+Global — the queues that every program has.

import CSignalbox
import SignalboxRuntime

extension DispatchQueue {
  /// The queue whose items run on the main thread, one at a time.
  ///
  /// Its items wait until something drains the queue: ``dispatchMain()``, a main run loop, or a
  /// host loop through ``DispatchMainQueueHost``. It is always the same object.
  public class var main: DispatchQueue { mainQueue }

  static let mainQueue = DispatchQueue(
    shape: .main, label: "com.apple.main-thread", qos: .unspecified, inactive: false, target: nil
  ).livingForEver()

  /// Makes the queue immortal. Otherwise each access would increment and decrement the
  /// reference count: two atomic operations on one word that all threads share.
  fileprivate final func livingForEver() -> DispatchQueue {
    // SAFETY: a global constant holds the object, so its references need not be counted.
    csb_immortalize(Unmanaged.passUnretained(self).toOpaque())
    return self
  }

  /// The concurrent queue of a class; always the same object.
  ///
  /// `sync` on it runs at once on the caller. `.barrier`, `suspend` and `resume` have no effect
  /// on it.
  public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue {
    switch qos {
    case .background: GlobalQueues.background
    case .utility: GlobalQueues.utility
    case .default: GlobalQueues.standard
    case .userInitiated: GlobalQueues.userInitiated
    case .userInteractive: GlobalQueues.userInteractive
    case .unspecified: GlobalQueues.unspecified
    }
  }

  /// The same queues under their old names.
  public class func global(priority: DispatchQueue.GlobalQueuePriority) -> DispatchQueue {
    switch priority {
    case .high: global(qos: .userInitiated)
    case .default: global(qos: .default)
    case .low: global(qos: .utility)
    case .background: global(qos: .background)
    }
  }
}

enum GlobalQueues {
  static let background = make("background", .background)
  static let utility = make("utility", .utility)
  static let standard = make("default", .default)
  static let userInitiated = make("user-initiated", .userInitiated)
  static let userInteractive = make("user-interactive", .userInteractive)
  static let unspecified = make("default", .unspecified)

  private static func make(_ name: String, _ qosClass: DispatchQoS.QoSClass) -> DispatchQueue {
    DispatchQueue(
      shape: .global, label: "com.apple.root.\(name)-qos",
      qos: DispatchQoS(qosClass: qosClass, relativePriority: 0), inactive: false, target: nil
    ).livingForEver()
  }
}
