// JobQueues — the queues in which the jobs of tasks and actors stand, one for each class of
// quality of service.
//
// They are like the global queues, so that jobs share workers, places and turns with
// everything else, and nobody holds all tasks up with a barrier or `suspend()`. They bear the
// names of Apple's cooperative pool.

import CSignalbox
package import SignalboxRuntime
import Synchronization

package struct JobQueues: @unchecked Sendable {  // SAFETY: constant, and the queues live for ever.
  package static let shared = JobQueues()

  private let background = make("background", .background)
  private let utility = make("utility", .utility)
  private let standard = make("default", .default)
  private let userInitiated = make("user-initiated", .userInitiated)
  private let userInteractive = make("user-interactive", .userInteractive)

  static let made = Atomic<Bool>(false)

  private init() {
    JobQueues.made.store(true, ordering: .relaxed)  // order: relaxed; asked by who forks.
  }

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

  /// The queue for jobs of that class.
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

  /// Appends a job, as an item, to the queue for jobs of that class. Any thread.
  package static func append(_ item: ItemPointer, for band: Band) {
    shared.queue(for: band)._withUnsafeGuaranteedRef { $0.pushJob(item) }
  }

  /// In a forked child: each of them, if the process has them.
  static func forEachMade(_ body: (DispatchQueue) -> Void) {
    // order: relaxed; no other thread is there.
    guard made.load(ordering: .relaxed) else { return }
    for band in Band.allCases { shared.queue(for: band)._withUnsafeGuaranteedRef(body) }
  }
}
