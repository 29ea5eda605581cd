// JobQueues — the queues in which the jobs of tasks and actors stand, one for each class of
// quality of service.
//
// They are concurrent queues like any other, so that jobs share workers, places and turns with
// everything else. They bear the names of Apple's cooperative pool.

import SignalboxDispatch
import SignalboxRuntime

struct JobQueues: @unchecked Sendable {  // SAFETY: constant, and the queues live for ever.
  static let shared = JobQueues()

  private let background = make("background", .background)
  private let utility = make("utility", .utility)
  private let standard = make("default", .default)
  private let userInitiated = make("user-initiated", .userInitiated)
  private let userInteractive = make("user-interactive", .userInteractive)

  private static func make(
    _ name: String, _ qos: DispatchQoS.QoSClass
  ) -> Unmanaged<DispatchQueue> {
    // SAFETY: such a queue lives for ever.
    Unmanaged.passUnretained(.forJobs(label: "com.apple.root.\(name)-qos.cooperative", qos: qos))
  }

  /// Submits a job. Any thread.
  ///
  /// No memory is allocated for it, and a system call is made only if a worker must be woken.
  @inline(__always)
  func submit(_ job: UnownedJob) {
    let job = PoolJob(job)
    queue(for: Band(ofJob: job.priority))._withUnsafeGuaranteedRef { $0.pushJob(job.item) }
  }

  @inline(__always)
  private func queue(for band: Band) -> Unmanaged<DispatchQueue> {
    switch band {
    case .standard: standard
    case .userInitiated: userInitiated
    case .userInteractive: userInteractive
    case .utility: utility
    case .background: background
    }
  }
}
