// Inspection — all that was read of one engine in a process.

package struct Inspection {
  /// The file that brings the engine.
  package let path: String
  package let threads: [SeenThread]
  let queues: [UInt64: SeenQueue]
  package let queueLines: [SeenQueueLine]
  package let pools: [SeenPool]
  package let cycles: [[CycleStep]]
  let graph: WaitGraph
  /// What was not read, and what may be torn, one sentence each.
  package let notes: [String]

  /// nil if the engine does not describe its threads.
  ///
  /// - Parameter existing: the threads that the process had before; nil if that is not known. The record of
  ///   another thread is left out. It may be one that a forked child has from its parent.
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
    // Before the items, which take the most readings.
    pools = PoolReader(engine.table, memory)?.read() ?? []
    queueLines = queueReader.map { SeenQueueLine.all(queues.queues, $0) } ?? []
    if found.isTorn {
      notes.append("the list of threads changed while it was read: threads may be missing")
    }
    if queues.isTorn {
      notes.append("a list of queues changed while it was read: queues may be missing")
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
}

/// A queue that holds items or is held.
package struct SeenQueueLine {
  let queue: SeenQueue
  /// The label of the target, if it is no queue of the engine's own.
  let target: String?
  let depth: QueueReader.Depth

  static func all(_ queues: [UInt64: SeenQueue], _ reader: QueueReader) -> [SeenQueueLine] {
    var budget = Limits.items
    return queues.values.filter { !$0.state.isIdle || $0.firstItem != 0 }.map { queue in
      let target = queues[queue.target].flatMap { $0.shape == "global" ? nil : $0.quoted }
      return SeenQueueLine(queue: queue, target: target, depth: reader.depth(of: queue, &budget))
    }
    .filter { $0.depth != .count(0) || $0.queue.state.owner != 0 || $0.queue.state.shared != 0 }
    .sorted { ($0.queue.label ?? "", $0.queue.object) < ($1.queue.label ?? "", $1.queue.object) }
  }
}
