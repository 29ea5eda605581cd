// TimerHeap — the timers of one clock; the most urgent one is on top.
//
// A heap with four children for each parent. Nodes know their index, so a cancelled timer
// leaves the heap, and what it holds is freed, at once. Insertion and removal are O(log n),
// on average a few steps whatever n is; the first timer is O(1). The keys are in the heap
// beside the addresses, so comparisons touch no timer.
//
// The order is that of the latest time of each timer. The thread that wakes at the latest
// time of the first timer fires timers from the top as long as they are due. So as many
// timers as possible share a wake-up, and no other order of firing needs fewer.
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
  /// The timer with the earliest latest time.
  var first: TimerPointer? { entries.first?.timer }

  /// Appends the most urgent timers to `soonest`, the first one first, at most `limit`.
  /// Allocates nothing if `soonest` has room for them, and `frontier` for four times as
  /// many.
  ///
  /// After a timer is taken, only its children can be next. So the heap is not changed,
  /// and only a part of it is read.
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

  /// - Returns: whether the timer was in the heap.
  mutating func remove(_ timer: TimerPointer) -> Bool {
    let place = timer.pointee.place
    // In a forked child, the timer may be in the parent's heap.
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
