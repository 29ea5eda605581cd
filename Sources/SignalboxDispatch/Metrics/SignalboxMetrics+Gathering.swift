// SignalboxMetrics+Gathering — collects what the engine has counted.

import CSignalbox
package import SignalboxDiagnostics
import SignalboxRuntime

extension SignalboxMetrics {
  /// The numbers of the current moment.
  package static func gathered() -> SignalboxMetrics {
    // Do this first, so that every fork from now on waits for the registry.
    _ = ForkedQueues.arranged
    let (queues, ended) = QueueRegistry.shared.counts
    var budget = looksInAll
    let engine = Engine.existing
    return SignalboxMetrics(
      queues: queues.map { SignalboxMetrics.Queue($0, &budget) }
        .sorted { ($0.label, $0.id) < ($1.label, $1.id) },
      ended: Counts(ended),
      pools: (engine?.pools).map { $0.compactMap { Pool($0) } } ?? [],
      timers: Timers(engine?.driver.lateness ?? csb_outside_timers()),
      watchedDescriptors: engine?.driver.watches ?? 0)
  }

  /// The maximum number of items that one snapshot reads, which takes a few tens of milliseconds at
  /// most.
  private static let looksInAll = 100_000
}

extension SignalboxMetrics.Counts {
  fileprivate init(_ counts: QueueCounts) {
    self.init(items: counts.runs, syncs: counts.turns, waits: counts.waits)
  }
}

extension SignalboxMetrics.Queue {
  fileprivate init(_ counted: CountedQueue, _ budget: inout Int) {
    self.init(
      id: counted.id, label: counted.label, kind: Kind(rawValue: "\(counted.shape)") ?? .serial,
      counts: SignalboxMetrics.Counts(counted.counts), depth: counted.lists.depth(&budget))
  }

  private typealias Kind = SignalboxReport.Queue.Kind
}
