// QueueSummary — where a queue's time went.

import SignalboxRuntime

package struct QueueSummary: Sendable, Equatable {
  package var queue: TraceStory.Index
  /// How many queues of that label it is about.
  package var queues = 1
  /// All that were heard of, those of `sync` too.
  package var items = 0
  /// For how long they waited, as far as that is known.
  package var waiting = Distribution([])
  /// For how long they ran, with what they waited for in between, as far as that is known.
  package var running = Distribution([])
  /// How many waited at one time, at most.
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

  /// So many queues of one kind and label are one row.
  package static let manyQueues = 8

  /// A row for each queue that has items, and one for all queues of a kind that share their label
  /// with many. The page's `statistics.js` has it so too.
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
      if group.count < TraceStory.manyQueues { return group }
      let first = group[0].queue
      let places = group.flatMap { order[starts[Int($0.queue)]..<starts[Int($0.queue) + 1]] }
      var row = summary(Int(first), places[...])
      row.queues = group.count
      row.greatestDepth = group.reduce(0) { max($0, $1.greatestDepth) }
      row.blocked = group.reduce(0) { $0.addedOrHalf($1.blocked) }
      return [row]
    }
  }

  private func summary(_ queue: Int, _ places: ArraySlice<Index>) -> QueueSummary {
    var summary = QueueSummary(queue: Index(queue), items: places.count)
    var (waiting, running): ([Time], [Time]) = ([], [])
    var (longest, submissions, starts): (Time, [Time], [Time]) = (-1, [], [])
    for place in places.lazy.map({ Int($0) }) {
      if let time = waitingTime(place) {
        waiting.append(time)
        submissions.append(items.submitted[place])
        if items.started[place] >= 0 { starts.append(items.started[place]) }
      }
      if let time = runningTime(place) {
        running.append(time)
        if time > longest { (longest, summary.longest) = (time, Index(place)) }
      }
    }
    summary.waiting = Distribution(waiting)
    summary.running = Distribution(running)
    summary.greatestDepth = TraceStory.greatestDepth(submissions, starts)
    return summary
  }

  /// From an item's submission to its start, or until the story's end if it has not started; nil
  /// where that is not known for certain.
  private func waitingTime(_ item: Int) -> Time? {
    let (submitted, started) = (items.submitted[item], items.started[item])
    let flags = items.flags[item]
    guard submitted >= 0, !flags.contains(.isLikely), started >= 0 || !flags.contains(.isCut)
    else { return nil }
    return length(submitted, started)
  }

  /// From an item's start to its end, or until the story's if it has not ended; nil where that is
  /// not known.
  private func runningTime(_ item: Int) -> Time? {
    let (started, finished) = (items.started[item], items.finished[item])
    guard started >= 0, finished >= 0 || !items.flags[item].contains(.isCut) else { return nil }
    return length(started, finished)
  }

  /// How many there are at one moment at most. At one and the same time one goes before another
  /// comes.
  static func greatestDepth(_ submissions: [Time], _ starts: [Time]) -> Int {
    let starts = starts.sorted()
    var (gone, greatest) = (0, 0)
    for (come, time) in submissions.sorted().enumerated() {
      while gone < starts.count && starts[gone] <= time { gone += 1 }
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
