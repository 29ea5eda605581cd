// QueueSummary — where a queue's time went.

package struct QueueSummary: Sendable, Equatable {
  package var queue: TraceStory.Index
  /// All that were heard of, those of `sync` too.
  package var items = 0
  /// From submission to start, of those whose both are certain.
  package var waiting = Distribution([])
  /// From start to finish, with what they waited for in between.
  package var running = Distribution([])
  /// How many were submitted and not started at one time, at most.
  package var greatestDepth = 0
  /// The item that ran longest, or `none`.
  package var longest = TraceStory.none
  /// For how long its items waited for something while they ran.
  package var blocked: TraceStory.Time = 0
}

extension TraceStory {
  /// A row for each queue, in the order of ``queues``.
  ///
  /// O(items · log items).
  package func queueSummaries() -> [QueueSummary] {
    var blocked = [Time](repeating: 0, count: queues.count)
    for wait in 0..<waits.count where waits.item[wait] >= 0 {
      blocked[Int(items.queue[Int(waits.item[wait])])] += length(
        waits.began[wait], waits.ended[wait])
    }
    let (order, starts) = itemsByQueue()
    return queues.indices.map { queue in
      var summary = summary(queue, order[starts[queue]..<starts[queue + 1]])
      summary.blocked = blocked[queue]
      return summary
    }
  }

  private func summary(_ queue: Int, _ places: ArraySlice<Index>) -> QueueSummary {
    var summary = QueueSummary(queue: Index(queue), items: places.count)
    var (waiting, running): ([Time], [Time]) = ([], [])
    var (longest, submissions, starts): (Time, [Time], [Time]) = (-1, [], [])
    for place in places.lazy.map({ Int($0) }) {
      let (submitted, started) = (items.submitted[place], items.started[place])
      let flags = items.flags[place]
      if submitted >= 0 && started >= 0 && !flags.contains(.isLikely) {
        waiting.append(started - submitted)
        submissions.append(submitted)
        starts.append(started)
      } else if submitted >= 0 && started < 0 && !flags.contains(.isCut) {
        submissions.append(submitted)
      }
      guard started >= 0 && items.finished[place] >= 0 else { continue }
      let length = items.finished[place] - started
      running.append(length)
      if length > longest { (longest, summary.longest) = (length, Index(place)) }
    }
    summary.waiting = Distribution(waiting)
    summary.running = Distribution(running)
    summary.greatestDepth = TraceStory.greatestDepth(submissions, starts)
    return summary
  }

  /// How many there are at one moment at most. At one and the same time one comes before another
  /// goes.
  static func greatestDepth(_ submissions: [Time], _ starts: [Time]) -> Int {
    let starts = starts.sorted()
    var (gone, greatest) = (0, 0)
    for (come, time) in submissions.sorted().enumerated() {
      while gone < starts.count && starts[gone] < time { gone += 1 }
      greatest = max(greatest, come + 1 - gone)
    }
    return greatest
  }

  /// All items, those of the first queue first, and where each queue's begin.
  func itemsByQueue() -> (order: [Index], starts: [Int]) {
    var starts = [Int](repeating: 0, count: queues.count + 1)
    for queue in items.queue { starts[Int(queue) + 1] += 1 }
    for queue in queues.indices { starts[queue + 1] += starts[queue] }
    var next = starts
    var order = [Index](repeating: 0, count: items.count)
    for (place, queue) in items.queue.enumerated() {
      order[next[Int(queue)]] = Index(place)
      next[Int(queue)] += 1
    }
    return (order, starts)
  }

  /// How long something was; until the story's end, if it has not ended.
  func length(_ began: Time, _ ended: Time) -> Time {
    guard began >= 0 else { return 0 }
    return max(0, (ended >= 0 ? ended : meta.duration) - began)
  }
}
