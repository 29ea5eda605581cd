// ThreadSummary — where a thread's time went.

package struct ThreadSummary: Sendable, Equatable {
  package var thread: TraceStory.Index
  /// How many items it ran.
  package var items = 0
  /// In items, without what it waited for in them.
  package var running: TraceStory.Time = 0
  /// Kept from its work, in items or not.
  package var blocked: TraceStory.Time = 0
  /// A worker that is parked, a loop that sleeps, the main thread without an item.
  package var idle: TraceStory.Time = 0
  /// In its items, as far as they were counted.
  package var switches = 0
}

extension TraceStory {
  /// A row for each thread, in the order of ``threads``.
  ///
  /// O(items · log items).
  package func threadSummaries() -> [ThreadSummary] {
    var summaries = threads.indices.map { ThreadSummary(thread: Index($0)) }
    // An item within another on one thread is in the other's time.
    var end = [Time](repeating: 0, count: threads.count)
    for place in itemsByStart() {
      let thread = Int(items.runner[place])
      summaries[thread].items += 1
      summaries[thread].switches += Int(items.switches[place]) + Int(items.preempted[place])
      // One that was cut ended nobody knows when.
      if items.finished[place] < 0 && items.flags[place].contains(.isCut) { continue }
      let finished = items.finished[place] >= 0 ? items.finished[place] : meta.duration
      summaries[thread].running = summaries[thread].running.addedOrHalf(
        max(0, finished - max(end[thread], items.started[place])))
      end[thread] = max(end[thread], finished)
    }
    for wait in 0..<waits.count {
      let time = length(waits.began[wait], waits.ended[wait])
      let thread = Int(waits.thread[wait])
      if isIdle(wait) {
        summaries[thread].idle = summaries[thread].idle.addedOrHalf(time)
      } else {
        summaries[thread].blocked = summaries[thread].blocked.addedOrHalf(time)
      }
      let item = waits.item[wait]
      guard item >= 0 else { continue }
      if items.finished[Int(item)] < 0 && items.flags[Int(item)].contains(.isCut) { continue }
      summaries[thread].running = summaries[thread].running.addedOrHalf(-time)
    }
    for park in 0..<parked.count {
      let thread = Int(parked.thread[park])
      summaries[thread].idle = summaries[thread].idle.addedOrHalf(
        length(parked.began[park], parked.ended[park]))
    }
    return summaries
  }

  /// The places of the items that have started, in time; an outer one before an inner one.
  func itemsByStart() -> [Int] {
    (0..<items.count).filter { items.started[$0] >= 0 }.sorted { one, other in
      if items.started[one] != items.started[other] {
        return items.started[one] < items.started[other]
      }
      let ends = [one, other].map { items.finished[$0] < 0 ? Time.max : items.finished[$0] }
      return ends[0] != ends[1] ? ends[0] > ends[1] : one < other
    }
  }
}
