// QueueSummary — how the items of a queue spent their time.

import SignalboxDiagnostics

package struct QueueSummary: Sendable, Equatable {
  package var queue: TraceModel.Index
  /// How many queues of the same label the row covers.
  package var queues = 1
  /// The number of all known items, including those of `sync`.
  package var items = 0
  /// The known waiting times.
  package var waiting = Distribution([])
  /// The known running times, including the time that the items waited.
  package var running = Distribution([])
  /// The greatest number of items that waited at the same time.
  package var greatestDepth = 0
  /// The item with the longest running time, or `none`.
  package var longest = TraceModel.none
  /// The time for which the queue's items waited while they ran.
  package var blocked: TraceModel.Time = 0
}

extension TraceModel {
  /// One row for each queue, in the order of ``queues``.
  ///
  /// O(items · log items).
  package func queueSummaries() -> [QueueSummary] {
    var blocked = [Time](repeating: 0, count: queues.count)
    for wait in 0..<waits.count where waits.item[wait] >= 0 && !isIdle(wait) {
      let queue = Int(items.queue[Int(waits.item[wait])])
      blocked[queue] = blocked[queue].addedOrHalf(length(waits.began[wait], waits.ended[wait]))
    }
    let (order, starts) = itemsByQueue()
    return queues.indices.map { queue in
      var summary = summary(queue, order[starts[queue]..<starts[queue + 1]])
      summary.blocked = blocked[queue]
      return summary
    }
  }

  /// From this number on, queues with the same kind and label share one row.
  package static let manyQueues = 8

  /// One row for each queue that has items, and one for all queues of a kind
  /// and label if there are at least ``manyQueues``. The page's `statistics.js`
  /// uses the same rule.
  ///
  /// O(items · log items).
  package func queueRows() -> [QueueSummary] {
    struct Name: Hashable {
      let label: Index
      let kind: TraceQueueKind
    }
    let all = queueSummaries().filter { $0.items > 0 }
    let groups = Dictionary(grouping: all) {
      let queue = queues[Int($0.queue)]
      return Name(label: queue.label, kind: queue.kind)
    }
    let (order, starts) = itemsByQueue()
    return groups.values.flatMap { group -> [QueueSummary] in
      if group.count < TraceModel.manyQueues { return group }
      let first = group[0].queue
      let indices = group.flatMap { order[starts[Int($0.queue)]..<starts[Int($0.queue) + 1]] }
      var row = summary(Int(first), indices[...])
      row.queues = group.count
      row.greatestDepth = group.reduce(0) { max($0, $1.greatestDepth) }
      row.blocked = group.reduce(0) { $0.addedOrHalf($1.blocked) }
      return [row]
    }
  }

  private func summary(_ queue: Int, _ indices: ArraySlice<Index>) -> QueueSummary {
    var summary = QueueSummary(queue: Index(queue), items: indices.count)
    var (waiting, running): ([Time], [Time]) = ([], [])
    var (longest, submissions, starts): (Time, [Time], [Time]) = (-1, [], [])
    for item in indices.lazy.map({ Int($0) }) {
      if let time = waitingTime(item) {
        waiting.append(time)
        submissions.append(items.submitted[item])
        if items.started[item] >= 0 { starts.append(items.started[item]) }
      }
      if let time = runningTime(item) {
        running.append(time)
        if time > longest { (longest, summary.longest) = (time, Index(item)) }
      }
    }
    summary.waiting = Distribution(waiting)
    summary.running = Distribution(running)
    summary.greatestDepth = TraceModel.greatestDepth(submissions, starts)
    return summary
  }

  /// The time from an item's submission to its start, or to the trace's end if
  /// it has not started; nil if that is uncertain.
  private func waitingTime(_ item: Int) -> Time? {
    let (submitted, started) = (items.submitted[item], items.started[item])
    let flags = items.flags[item]
    guard submitted >= 0, !flags.contains(.isLikely), started >= 0 || !flags.contains(.isTruncated)
    else { return nil }
    return length(submitted, started)
  }

  /// The time from an item's start to its end, or to the trace's end if it has
  /// not ended; nil if that is unknown.
  private func runningTime(_ item: Int) -> Time? {
    let (started, finished) = (items.started[item], items.finished[item])
    guard started >= 0, finished >= 0 || !items.flags[item].contains(.isTruncated) else {
      return nil
    }
    return length(started, finished)
  }

  /// The greatest number of items at one moment. At equal times, an item leaves
  /// before another arrives.
  static func greatestDepth(_ submissions: [Time], _ starts: [Time]) -> Int {
    let starts = starts.inOrder()
    var (gone, greatest) = (0, 0)
    for (come, time) in submissions.inOrder().enumerated() {
      while gone < starts.count && starts[gone] <= time { gone += 1 }
      greatest = max(greatest, come + 1 - gone)
    }
    return greatest
  }

  /// The indices of all items, grouped by queue, and where each queue's group
  /// begins.
  func itemsByQueue() -> (order: [Index], starts: [Int]) {
    var starts = [Int](repeating: 0, count: queues.count + 1)
    for queue in items.queue { starts[Int(queue) + 1] += 1 }
    for queue in queues.indices { starts[queue + 1] += starts[queue] }
    var next = starts
    var order = [Index](repeating: 0, count: items.count)
    var item = 0
    for queue in items.queue {
      order[next[Int(queue)]] = Index(item)
      next[Int(queue)] += 1
      item += 1
    }
    return (order, starts)
  }

  /// The length of a span, up to the trace's end if the span has not ended.
  func length(_ began: Time, _ ended: Time) -> Time {
    guard began >= 0 else { return 0 }
    return max(0, (ended >= 0 ? ended : meta.duration) - began)
  }
}
