// TopSample — what `signalbox top` shows of a process, as it was at one moment.

package struct TopSample {
  package let process: Int32
  package let name: String
  /// The time of the sample, on the monotonic clock.
  let uptime: UInt64
  let queues: [Queue]
  let threads: [Thread]
  /// One line for each pool, and one for the timers.
  let pools: [String]
  /// Deadlocks, and what was not read.
  let notes: [String]
  let waiting: Int

  struct Queue {
    /// The address.
    let id: UInt64
    let label: String
    let kind: String
    /// nil if the engine does not count.
    let counts: SeenCounts?
    /// How long its items waited and ran; nil if that was not measured.
    let times: SeenTimes?
    /// How many items wait; nil if they were not counted.
    let depth: Int?
    let hasMore: Bool
    let active: UInt64
    let isHalted: Bool
    /// The label of the target.
    let target: String?
    /// The thread that has the queue.
    let owner: String?
  }

  struct Thread {
    let kernelID: Int32
    /// Its name, with its numbers.
    let title: String
    /// Its name alone.
    let name: String
    let doing: String
    /// Whether it waits for something other than work.
    let isHeldUp: Bool
    /// What it waits for, or the queue that it has.
    let object: UInt64
  }
}

extension TargetReport {
  package var sample: TopSample {
    TopSample(
      process: process, name: name, uptime: uptime ?? 0,
      queues: inspections.indices.flatMap(queues),
      threads: threads, pools: inspections.flatMap(\.poolWords),
      notes: zip(inspections, words).flatMap { inspection, words in
        inspection.cycles.map { words.deadlock($0) } + inspection.notes
      }, waiting: waiting)
  }

  private func queues(of index: Int) -> [TopSample.Queue] {
    let inspection = inspections[index]
    let words = words[index]
    let lines = Dictionary(
      inspection.queueLines.map { ($0.queue.object, $0) }, uniquingKeysWith: { a, _ in a })
    let times = Dictionary(
      inspection.times.filter { $0.scope == .queue }.map { ($0.object, $0) },
      uniquingKeysWith: { a, _ in a })
    return inspection.queues.values.sorted(by: SeenQueue.byLabel).map { queue in
      let line = lines[queue.object]
      // A queue without a line holds nothing.
      let depth = line?.depth ?? .count(0)
      return TopSample.Queue(
        id: queue.object, label: queue.label ?? "at 0x\(String(queue.object, radix: 16))",
        kind: queue.shape, counts: queue.counts, times: times[queue.object],
        depth: depth.number, hasMore: depth.hasMore,
        active: queue.active, isHalted: queue.state.isInactive || queue.state.isSuspended,
        target: inspection.queues[queue.target]?.quoted,
        owner: queue.state.owner == 0 ? nil : words.name(of: queue.state.owner))
    }
  }

  /// Those that are held up first, then those that the engine knows, then all others.
  private var threads: [TopSample.Thread] {
    var threads: [TopSample.Thread] = []
    var seen: Set<Int32> = []
    for (inspection, words) in zip(inspections, words) {
      let busy = Dictionary(
        inspection.queues.values.filter { $0.state.owner != 0 }.map { ($0.state.owner, $0) },
        uniquingKeysWith: { a, _ in a })
      for thread in waits(of: inspection) where seen.insert(thread.kernelID).inserted {
        let title = words.name(of: thread)
        let line = words.line(of: thread)
        let doing = line.dropFirst(title.count).drop { $0 == "," || $0 == " " }
        threads.append(
          TopSample.Thread(
            kernelID: thread.kernelID, title: title, name: words.bareName(of: thread),
            doing: String(doing), isHeldUp: thread.wait?.isIdle == false,
            object: thread.wait?.object ?? 0))
      }
      for thread in inspection.threads where !seen.contains(thread.kernelID) {
        guard let queue = busy[thread.number] else { continue }
        seen.insert(thread.kernelID)
        threads.append(
          TopSample.Thread(
            kernelID: thread.kernelID, title: words.name(of: thread),
            name: words.bareName(of: thread),
            doing: "has the queue \(queue.quoted)"
              + (thread.job.map { ", in \($0.words)" } ?? ""),
            isHeldUp: false, object: queue.object))
      }
    }
    for thread in kernelThreads where seen.insert(thread.kernelID).inserted {
      let title =
        words.lazy.compactMap { $0.known(thread) }.first
        ?? ThreadWords.stranger(thread, isMain: thread.outer == process)
      threads.append(
        TopSample.Thread(
          kernelID: thread.kernelID, title: title, name: thread.name,
          doing: thread.state.words(calls[thread.kernelID])
            + (words.lazy.compactMap { $0.job(of: thread) }.first.map { ", in \($0.words)" } ?? ""),
          isHeldUp: false, object: 0))
    }
    return threads
  }
}

extension Inspection {
  fileprivate var poolWords: [String] {
    let timers = timers.map {
      "timers: \($0.armed) armed, \($0.fired) fired, at most \(TimeWords.of($0.latest)) late"
        + (watches.map { "; \($0) descriptors watched" } ?? "")
    }
    return pools.filter { ($0.workers ?? 1) > 0 }.map { pool in
      let states = pool.states.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
      return "\(pool.tier): \(pool.workers.map { "\($0)" } ?? "?") workers"
        + (states.isEmpty ? "" : ", " + states.joined(separator: ", "))
        + ", \(pool.pending.map { "\($0)" } ?? "?") pending"
        + (pool.counts.map { "; \($0.replaced) replaced, \($0.stolen) stolen" } ?? "")
    } + (timers.map { [$0] } ?? [])
  }
}
