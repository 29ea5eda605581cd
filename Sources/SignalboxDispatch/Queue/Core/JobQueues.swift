// JobQueues — the queues for the jobs of tasks and actors, one for each quality-of-service class.
//
// They work like the global queues, so that jobs share workers, permits and time slices with all
// other work, and no program can block all tasks with a barrier or `suspend()`. They have the
// names of Apple's cooperative pool.

import CSignalbox
package import SignalboxRuntime

package struct JobQueues: @unchecked Sendable {  // SAFETY: constant, and the queues live forever.
  package static let shared = JobQueues()

  private let background = make("background", .background)
  private let utility = make("utility", .utility)
  private let standard = make("default", .default)
  private let userInitiated = make("user-initiated", .userInitiated)
  private let userInteractive = make("user-interactive", .userInteractive)

  /// Whether `shared` exists. The thread that makes it writes this; only a forked child, with one
  /// thread, reads it.
  static let made = Relaxed(false)

  private init() { JobQueues.made.store(true) }

  private static func make(
    _ name: String, _ qos: DispatchQoS.QoSClass
  ) -> Unmanaged<DispatchQueue> {
    let queue = DispatchQueue(
      shape: .global, label: "com.apple.root.\(name)-qos.cooperative",
      qos: DispatchQoS(qosClass: qos, relativePriority: 0), inactive: false, target: nil)
    let held = Unmanaged.passRetained(queue)  // SAFETY: never released.
    csb_immortalize(held.toOpaque())
    return held
  }

  /// The queue for jobs of the class.
  @inline(__always)
  package func queue(for band: Band) -> Unmanaged<DispatchQueue> {
    switch band {
    case .standard: standard
    case .userInitiated: userInitiated
    case .userInteractive: userInteractive
    case .utility: utility
    case .background: background
    }
  }

  /// Appends a job, as an item, to the queue for jobs of the class. Any thread.
  ///
  /// - Parameter isInPlace: whether the item is in the job's own memory.
  package static func append(_ item: ItemPointer, for band: Band, isInPlace: Bool) {
    shared.queue(for: band)._withUnsafeGuaranteedRef { $0.pushJob(item, isInPlace: isInPlace) }
  }

  /// Calls `body` for each of these queues in a forked child, if the process has made them.
  static func forEachMade(_ body: (DispatchQueue) -> Void) {
    guard made.load() else { return }
    for band in Band.allCases { shared.queue(for: band)._withUnsafeGuaranteedRef(body) }
  }
}
