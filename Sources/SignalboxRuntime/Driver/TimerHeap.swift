// TimerHeap — the timers of one clock, on top the one that can wait least.
//
// A heap of four children a parent, of nodes that know their place, so that a cancelled
// timer is taken out at once and what it holds is freed at once. O(log n) to insert and
// to take out, and on average a few steps whatever n is; O(1) to look at the first. The
// keys stand in the heap beside the addresses: to compare, no timer need be touched.
//
// It is ordered by the latest time of each timer. Whoever wakes at that of the first
// fires from the top as long as timers are due by then; so as many as can share a
// wake-up do, and no order of firing makes do with fewer.
//
// Touching    everything: under the driver's lock.

struct TimerHeap {
  private struct Entry {
    let latest: UInt64
    let timer: TimerPointer
  }
  private var entries: [Entry] = []
  private var lastSequence: UInt64 = 0

  private static let arity = 4

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  /// The one that can wait least.
  var first: TimerPointer? { entries.first?.timer }

  /// Appends those that can wait least to `soonest`, the first first, `limit` at most; allocates
  /// nothing if that has room for them, and `frontier` for four times as many.
  ///
  /// Behind each that was taken only its children can be next: so the heap need not be
  /// changed, nor all of it be looked at.
  func list(_ limit: Int, into soonest: inout [TimerPointer], frontier: inout [Int]) {
    frontier.removeAll(keepingCapacity: true)
    if limit > 0 && !entries.isEmpty { frontier.append(0) }
    while soonest.count < limit, !frontier.isEmpty {
      var best = 0
      for place in frontier.indices.dropFirst()
      where isBefore(entries[frontier[place]], entries[frontier[best]]) {
        best = place
      }
      let taken = frontier[best]
      soonest.append(entries[taken].timer)
      frontier[best] = frontier[frontier.count - 1]
      frontier.removeLast()
      let child = taken * TimerHeap.arity + 1
      for next in child..<max(child, min(child + TimerHeap.arity, entries.count)) {
        frontier.append(next)
      }
    }
  }

  mutating func insert(_ timer: TimerPointer) {
    lastSequence += 1
    timer.pointee.sequence = lastSequence
    let entry = Entry(latest: timer.pointee.latest, timer: timer)
    entries.append(entry)
    siftUp(entry, from: entries.count - 1)
  }

  /// Whether it was there.
  mutating func remove(_ timer: TimerPointer) -> Bool {
    let place = timer.pointee.place
    // In a forked child it may stand in the parent's heap.
    guard place >= 0, place < entries.count, entries[place].timer == timer else { return false }
    timer.pointee.place = -1
    let last = entries.removeLast()
    guard last.timer != timer else { return true }
    if place > 0 && isBefore(last, entries[(place - 1) / TimerHeap.arity]) {
      siftUp(last, from: place)
    } else {
      siftDown(last, from: place)
    }
    return true
  }

  @inline(__always)
  private func isBefore(_ a: Entry, _ b: Entry) -> Bool {
    if a.latest != b.latest { return a.latest < b.latest }
    return a.timer.pointee.sequence < b.timer.pointee.sequence
  }

  @inline(__always)
  private mutating func put(_ entry: Entry, at place: Int) {
    entries[place] = entry
    entry.timer.pointee.place = place
  }

  private mutating func siftUp(_ entry: Entry, from start: Int) {
    var place = start
    while place > 0 {
      let parent = (place - 1) / TimerHeap.arity
      guard isBefore(entry, entries[parent]) else { break }
      put(entries[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func siftDown(_ entry: Entry, from start: Int) {
    var place = start
    while true {
      let first = place * TimerHeap.arity + 1
      guard first < entries.count else { break }
      var child = first
      for other in first + 1..<max(first + 1, min(first + TimerHeap.arity, entries.count))
      where isBefore(entries[other], entries[child]) {
        child = other
      }
      guard isBefore(entries[child], entry) else { break }
      put(entries[child], at: place)
      place = child
    }
    put(entry, at: place)
  }
}
