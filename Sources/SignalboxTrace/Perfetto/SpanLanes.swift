// SpanLanes — assigns each item of a queue to the first lane that is free when
// it starts.

import SignalboxRuntime

struct SpanLanes {
  typealias Time = TraceModel.Time

  /// The occupied lanes, the one that becomes free first at the top.
  private var taken = Heap<Taken>()
  /// The free lanes, the lowest at the top.
  private var free = Heap<Free>()
  private(set) var count = 0

  private struct Taken: HeapEntry {
    let until: Time
    let lane: Int

    static func < (one: Taken, other: Taken) -> Bool {
      (one.until, one.lane) < (other.until, other.lane)
    }
  }

  private struct Free: HeapEntry {
    let lane: Int

    static func < (one: Free, other: Free) -> Bool { one.lane < other.lane }
  }

  /// The lane for the next item. Pass the items in the order of their starts.
  mutating func lane(from start: Time, to end: Time) -> Int {
    while let first = taken.first, first.until <= start {
      free.insert(Free(lane: first.lane))
      taken.remove(at: 0)
    }
    let lane = free.first?.lane ?? count
    if lane == count { count += 1 } else { free.remove(at: 0) }
    taken.insert(Taken(until: end, lane: lane))
    return lane
  }
}
