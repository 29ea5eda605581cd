// TargetReport+Metrics — the metrics of a process.

extension TargetReport {
  /// Adds the metrics of the process.
  package func add(to text: inout ExpositionText) {
    let process = [("pid", "\(process)"), ("process", name)]
    text.add(.threads, process, "\(threadCount)")
    text.add(.threadsWaiting, process, "\(waiting)")
    text.add(.deadlocks, process, "\(inspections.reduce(0) { $0 + $1.cycles.count })")
    for inspection in inspections {
      // Each copy of the engine has pools and queues of its own.
      let labels = inspections.count > 1 ? process + [("library", inspection.path)] : process
      inspection.add(to: &text, labels)
    }
  }
}

extension Inspection {
  fileprivate func add(to text: inout ExpositionText, _ labels: [(String, String)]) {
    addQueues(to: &text, labels)
    for times in times { times.add(to: &text, labels, queues[times.object]?.label) }
    for pool in pools { pool.add(to: &text, labels) }
    if let watches { text.add(.watches, labels, "\(watches)") }
    guard let timers else { return }
    text.add(.timersArmed, labels, "\(timers.armed)")
    text.add(.timersFired, labels, "\(timers.fired)")
    text.add(.timersLate, labels, ExpositionText.seconds(timers.late))
    text.add(.timersLatest, labels, ExpositionText.seconds(timers.latest))
  }

  private func addQueues(to text: inout ExpositionText, _ labels: [(String, String)]) {
    text.add(.queues, labels, "\(queues.count)")
    let depths = Dictionary(
      queueLines.map { ($0.queue.object, $0.depth) }, uniquingKeysWith: { a, _ in a })
    var sums = ended
    for queue in queues.values.sorted(by: SeenQueue.byLabel) {
      if let counts = queue.counts { sums?.add(counts) }
      queue.add(to: &text, labels, depths[queue.object])
    }
    guard let sums else { return }
    text.add(.items, labels, "\(sums.runs)")
    text.add(.syncs, labels, "\(sums.turns)")
    text.add(.syncWaits, labels, "\(sums.waits)")
  }
}

extension SeenQueue {
  static func byLabel(_ a: SeenQueue, _ b: SeenQueue) -> Bool {
    (a.label ?? "", a.object) < (b.label ?? "", b.object)
  }

  /// How many items and calls of `sync` run on the queue.
  var active: UInt64 { state.shared + (state.owner == 0 ? 0 : 1) }

  fileprivate func add(
    to text: inout ExpositionText, _ labels: [(String, String)], _ depth: QueueReader.Depth?
  ) {
    // Several queues may have one label, so the address is a part of the series' name.
    let labels =
      labels + [
        ("queue", label ?? ""), ("kind", shape), ("id", "0x\(String(object, radix: 16))"),
      ]
    if let counts {
      text.add(.queueItems, labels, "\(counts.runs)")
      text.add(.queueSyncs, labels, "\(counts.turns)")
      text.add(.queueSyncWaits, labels, "\(counts.waits)")
    }
    // A queue without a line holds nothing.
    if let number = depth.map({ $0.number }) ?? 0 {
      text.add(.queueWaiting, labels, "\(number)")
    }
    text.add(.queueActive, labels, "\(active)")
    text.add(.queueSuspended, labels, state.isSuspended || state.isInactive ? "1" : "0")
  }
}

extension SeenTimes {
  /// - Parameter whole: the queue's full label, if it is known. The row's own label may be cut.
  fileprivate func add(
    to text: inout ExpositionText, _ labels: [(String, String)], _ whole: String?
  ) {
    let labels = labels + [("queue", whole ?? label), ("kind", kind), ("id", id)]
    text.add(.queueMostWaiting, labels, "\(mostWaiting)")
    text.add(.queueWaitTimes, labels, waits)
    text.add(.queueRunTimes, labels, runs)
    text.add(.queueUnmeasured, labels, "\(unmeasured)")
  }
}

extension SeenPool {
  /// What the pool's workers are doing, as far as is known.
  package var states: [(String, UInt64)] {
    guard let workers, let running, let counts else { return [] }
    let known = [
      ("running", running), ("parked", counts.parked), ("blocked", counts.blocked),
      ("stalled", counts.stalled),
    ]
    // The others wait for timers and descriptors, or watch the pool. The counts were read at
    // different moments, so their sum may be too large.
    let sum = known.reduce(0) { $0 &+ $1.1 }
    return known + [("other", workers >= sum ? workers - sum : 0)]
  }

  fileprivate func add(to text: inout ExpositionText, _ labels: [(String, String)]) {
    let labels = labels + [("pool", tier)]
    for (state, count) in states {
      text.add(.poolWorkers, labels + [("state", state)], "\(count)")
    }
    if let width { text.add(.poolPermits, labels, "\(width)") }
    if let pending { text.add(.poolPending, labels, "\(pending)") }
    guard let counts else { return }
    text.add(.poolStarted, labels, "\(counts.started)")
    text.add(.poolReplaced, labels, "\(counts.replaced)")
    text.add(.poolStolen, labels, "\(counts.stolen)")
  }
}
