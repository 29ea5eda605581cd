// ThreadSummary — how a thread spent its time.

package struct ThreadSummary: Sendable, Equatable {
  package var thread: TraceModel.Index
  /// The number of items that it ran.
  package var items = 0
  /// The time in items, without the time that they waited.
  package var running: TraceModel.Time = 0
  /// The time for which the thread waited for others, inside items or not.
  package var blocked: TraceModel.Time = 0
  /// The time as a parked worker, in a sleeping run loop, or as the main thread
  /// without an item.
  package var idle: TraceModel.Time = 0
  /// The context switches in its items, if they were counted.
  package var switches = 0
}

extension TraceModel {
  /// One row for each thread, in the order of ``threads``.
  ///
  /// O(items · log items).
  package func threadSummaries() -> [ThreadSummary] {
    var summaries = threads.indices.map { ThreadSummary(thread: Index($0)) }
    // The time of a nested item is part of the outer item's time.
    var end = [Time](repeating: 0, count: threads.count)
    for item in itemsByStart() {
      let thread = Int(items.runner[item])
      summaries[thread].items += 1
      summaries[thread].switches += Int(items.switches[item]) + Int(items.preempted[item])
      // An item whose end was lost ended at an unknown time.
      if items.finished[item] < 0 && items.flags[item].contains(.isTruncated) { continue }
      let finished = items.finished[item] >= 0 ? items.finished[item] : meta.duration
      summaries[thread].running = summaries[thread].running.addedOrHalf(
        max(0, finished - max(end[thread], items.started[item])))
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
      if items.finished[Int(item)] < 0 && items.flags[Int(item)].contains(.isTruncated) { continue }
      summaries[thread].running = summaries[thread].running.addedOrHalf(-time)
    }
    for park in 0..<parked.count {
      let thread = Int(parked.thread[park])
      summaries[thread].idle = summaries[thread].idle.addedOrHalf(
        length(parked.began[park], parked.ended[park]))
    }
    return summaries
  }

  /// The indices of the started items, in time order; an outer item comes
  /// before an inner one.
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
