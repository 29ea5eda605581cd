// Inspection — all that was read of one engine in a process.

package struct Inspection {
  /// The file that contains the engine.
  package let path: String
  package let threads: [SeenThread]
  let queues: [UInt64: SeenQueue]
  package let queueLines: [SeenQueueLine]
  package let pools: [SeenPool]
  /// The sums of the queues that have ended; nil if the engine has none, or if lists were torn.
  package let ended: SeenCounts?
  /// nil if nothing has been submitted, or the engine does not count.
  package let timers: SeenTimers?
  /// How many descriptors the engine watches; nil if it is not known.
  let watches: UInt64?
  /// How long items waited and ran; empty if that was never measured.
  let times: [SeenTimes]
  package let cycles: [[CycleStep]]
  let graph: WaitGraph
  /// What was not read, and what may be torn, one sentence each.
  package let notes: [String]

  /// nil if the engine does not describe its threads.
  ///
  /// - Parameter existing: the threads that the process had before; nil if that is not known.
  ///   Records of other threads are left out: a forked child may have records of its parent's
  ///   threads.
  package init?(
    _ engine: EngineFinder.Engine, _ memory: TargetMemory, existing: Set<Int32>? = nil
  ) {
    guard let threadReader = ThreadReader(engine.table, memory) else { return nil }
    var notes: [String] = []
    var found = threadReader.read()
    if let existing { found.threads.removeAll { !existing.contains($0.kernelID) } }
    let queueReader = QueueReader(engine.table, memory)
    let queues = queueReader?.read() ?? QueueReader.Queues()
    graph = WaitGraph(found.threads, queues.queues)
    let confirmation = CycleConfirmation(
      threads: threadReader, queues: queueReader, known: queues.queues)
    cycles = CycleSearch(found.threads, graph) { confirmation.isConfirmed($0) }.cycles()
    // The pools are read before the items, which take the most readings.
    let poolReader = PoolReader(engine.table, memory)
    pools = poolReader?.read() ?? []
    timers = poolReader?.readTimers()
    watches = poolReader?.readWatches()
    let measured = TimesReader(engine.table, memory)?.read() ?? TimesReader.Times()
    times = measured.times
    ended = queues.isTorn ? nil : queues.ended
    queueLines =
      queueReader.map {
        SeenQueueLine.all(queues.queues, $0, TaskReader(engine.table, memory))
      } ?? []
    if found.isTorn {
      notes.append("the list of threads changed while it was read: threads may be missing")
    }
    if queues.isTorn {
      notes.append("a list of queues changed while it was read: queues may be missing")
    }
    if measured.isTorn {
      notes.append("queues came and went while their times were read: some may be wrong")
    }
    if found.threads.contains(where: \.isUnsettled) {
      notes.append("the waits of some threads change too fast to be read")
    }
    if !(found.threads.isEmpty && queues.queues.isEmpty),
      !StringReader(engine.table, memory).isKnown
    {
      notes.append(
        "this program's standard library keeps strings in a way that is not known here, so labels are missing"
      )
    }
    if engine.table.isFull {
      notes.append("the program's table is full: some of its structures are not described")
    }
    if memory.isExhausted {
      notes.append("the report is not complete, because a limit of the reader was reached")
    }
    self.notes = notes
    path = engine.path
    threads = found.threads
    self.queues = queues.queues
  }

  /// Whether the engine was ever used.
  package var isInUse: Bool { !threads.isEmpty || !queues.isEmpty || !pools.isEmpty }

  /// The inspections of the engines in use. If none is in use, the inspection of one unused engine.
  static func used(
    _ engines: [EngineFinder.Engine], _ memory: TargetMemory, existing: Set<Int32>?
  ) -> [Inspection] {
    let all = engines.compactMap { Inspection($0, memory, existing: existing) }
    let used = all.filter(\.isInUse)
    return used.isEmpty ? Array(all.prefix(1)) : used
  }
}

/// A queue that holds items or is held.
package struct SeenQueueLine {
  let queue: SeenQueue
  /// The label of the target; nil if the target is a global queue.
  let target: String?
  let depth: QueueReader.Depth
  /// The first of its items that are jobs of tasks and actors.
  let jobs: [SeenJob]

  static func all(
    _ queues: [UInt64: SeenQueue], _ reader: QueueReader, _ tasks: TaskReader
  ) -> [SeenQueueLine] {
    var budget = Limits.items
    return queues.values.filter { !$0.state.isIdle || $0.firstItem != 0 }.map { queue in
      let target = queues[queue.target].flatMap { $0.shape == "global" ? nil : $0.quoted }
      return SeenQueueLine(
        queue: queue, target: target, depth: reader.depth(of: queue, &budget),
        jobs: tasks.jobs(in: queue))
    }
    .filter { $0.depth != .count(0) || $0.queue.state.owner != 0 || $0.queue.state.shared != 0 }
    .sorted { ($0.queue.label ?? "", $0.queue.object) < ($1.queue.label ?? "", $1.queue.object) }
  }
}
