// MetricFamily — the metrics that `signalbox metrics` prints: their names, units and meanings.
//
// The names follow OpenTelemetry's conventions, in the form that they have in Prometheus: words from the
// general to the special, the unit last, "total" at the end of what only grows.

package enum MetricFamily: String, CaseIterable {
  case queueItems = "signalbox_queue_items_total"
  case queueSyncs = "signalbox_queue_syncs_total"
  case queueSyncWaits = "signalbox_queue_sync_waits_total"
  case queueWaiting = "signalbox_queue_waiting_items"
  case queueActive = "signalbox_queue_active_items"
  case queueSuspended = "signalbox_queue_suspended"
  case queueMostWaiting = "signalbox_queue_waiting_items_max"
  case queueWaitTimes = "signalbox_queue_wait_duration_seconds"
  case queueRunTimes = "signalbox_queue_run_duration_seconds"
  case queueUnmeasured = "signalbox_queue_unmeasured_items_total"
  case queues = "signalbox_queues"
  case items = "signalbox_items_total"
  case syncs = "signalbox_syncs_total"
  case syncWaits = "signalbox_sync_waits_total"
  case poolWorkers = "signalbox_pool_workers"
  case poolPermits = "signalbox_pool_permits"
  case poolPending = "signalbox_pool_pending_runnables"
  case poolStarted = "signalbox_pool_started_workers_total"
  case poolReplaced = "signalbox_pool_replaced_workers_total"
  case poolStolen = "signalbox_pool_stolen_runnables_total"
  case timersArmed = "signalbox_timers_armed"
  case timersFired = "signalbox_timers_fired_total"
  case timersLate = "signalbox_timers_lateness_seconds_total"
  case timersLatest = "signalbox_timers_lateness_max_seconds"
  case watches = "signalbox_watched_descriptors"
  case threads = "signalbox_threads"
  case threadsWaiting = "signalbox_threads_waiting"
  case deadlocks = "signalbox_deadlocks"

  /// Whether the value only grows, as long as the process, or the queue, lives.
  package var isCounter: Bool { rawValue.hasSuffix("_total") }

  package var isHistogram: Bool { self == .queueWaitTimes || self == .queueRunTimes }

  /// The word for the family's type in the text format.
  package var type: String { isHistogram ? "histogram" : isCounter ? "counter" : "gauge" }

  /// The family of a sample. The samples of a histogram have a word behind its name.
  init?(sample: String) {
    for end in ["_bucket", "_sum", "_count"] where sample.hasSuffix(end) {
      guard let family = MetricFamily(rawValue: String(sample.dropLast(end.count))),
        family.isHistogram
      else { continue }
      self = family
      return
    }
    self.init(rawValue: sample)
  }

  package var help: String {
    switch self {
    case .queueItems: "Items of the queue that have begun."
    case .queueSyncs: "Calls of sync that had the queue to themselves."
    case .queueSyncWaits: "Calls of sync that waited in the queue for their turn."
    case .queueWaiting: "Items and threads in sync that wait in the queue, as far as counted."
    case .queueActive: "Items and calls of sync that run on the queue."
    case .queueSuspended: "1 if the queue is suspended or inactive, else 0."
    case .queueMostWaiting: "Most items that waited in the queue at one time."
    case .queueWaitTimes: "Times until items began, and that calls of sync waited."
    case .queueRunTimes: "Times that items and calls of sync ran."
    case .queueUnmeasured: "Items that were submitted without room for their time."
    case .queues: "Queues that exist."
    case .items: "Items of all queues that have begun, freed queues included."
    case .syncs: "Calls of sync that had a queue to themselves, on all queues, freed ones included."
    case .syncWaits: "Calls of sync that waited for their turn, on all queues, freed ones included."
    case .poolWorkers: "Worker threads by what they do."
    case .poolPermits: "Workers that may run at once, in this pool and those of higher priority."
    case .poolPending: "Runnables, mostly queues to be drained, that wait for a worker."
    case .poolStarted: "Workers that were started."
    case .poolReplaced: "Workers that blocked so that another one could go on in their place."
    case .poolStolen: "Runnables that a worker took from another one."
    case .timersArmed: "Timers that are pending."
    case .timersFired: "Deadlines of timers that have passed and been noticed."
    case .timersLate: "Sum of the times from the deadlines of timers until they were noticed."
    case .timersLatest: "Longest time from the deadline of a timer until it was noticed."
    case .watches: "Descriptors that sources and channels watch."
    case .threads: "Threads of the process."
    case .threadsWaiting: "Threads that wait in a call of Signalbox."
    case .deadlocks: "Cycles of threads that wait for each other."
    }
  }
}
