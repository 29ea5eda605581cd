// SpanLanes — assigns each item of a queue to the first lane that is free when
// it starts.

struct SpanLanes {
  typealias Time = TraceModel.Time

  /// The occupied lanes, the one that becomes free first at the top.
  private var taken = LeastFirst<Taken>()
  /// The free lanes, the lowest at the top.
  private var free = LeastFirst<Int>()
  private(set) var count = 0

  private struct Taken: Comparable {
    let until: Time
    let lane: Int

    static func < (one: Taken, other: Taken) -> Bool {
      (one.until, one.lane) < (other.until, other.lane)
    }
  }

  /// The lane for the next item. Pass the items in the order of their starts.
  mutating func lane(from start: Time, to end: Time) -> Int {
    while let first = taken.least, first.until <= start {
      free.put(first.lane)
      taken.takeLeast()
    }
    let lane = free.least ?? count
    if lane == count { count += 1 } else { free.takeLeast() }
    taken.put(Taken(until: end, lane: lane))
    return lane
  }
}

/// A binary min-heap.
private struct LeastFirst<Element: Comparable> {
  private var elements: [Element] = []

  var least: Element? { elements.first }

  mutating func put(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0 && elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func takeLeast() {
    elements.swapAt(0, elements.count - 1)
    elements.removeLast()
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < elements.count else { return }
      if child + 1 < elements.count && elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < elements[place] else { return }
      elements.swapAt(child, place)
      place = child
    }
  }
}
