// TimerHeap — the timers of one clock; the first one is on top.
//
// Each node records its index, so a cancelled timer leaves the heap at once, and what it holds is
// freed at once.
//
// The timers are ordered by their latest times. The thread that wakes at the latest time of the
// first timer fires timers from the top as long as they are due. So as many timers as possible
// share a wake-up, and no other order needs fewer wake-ups. Timers with the usual leeway have a
// heap of their own, in the order of their deadlines, because they fire when they are due if the
// `WakeUpBudget` allows it.
//
// Touching    everything: under the driver's lock.

struct TimerHeap {
  private struct Entry: HeapEntry {
    let time: UInt64
    let timer: TimerPointer

    @inline(__always)
    static func < (a: Entry, b: Entry) -> Bool {
      if a.time != b.time { return a.time < b.time }
      return a.timer.pointee.sequence < b.timer.pointee.sequence
    }

    @inline(__always)
    func note(_ index: Int, in _: inout Void) { timer.pointee.heapIndex = index }
  }
  private var heap = Heap<Entry>()
  private var lastSequence: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }
  /// The first timer.
  var first: TimerPointer? { heap.first?.timer }

  /// Appends the first timers, at most `limit`, to `soonest` in their order.
  /// Allocates nothing if `soonest` has room for them, and `frontier` for four times as
  /// many.
  ///
  /// After a timer is taken, only its children can be next. So the heap is not changed,
  /// and only a part of it is read.
  func list(_ limit: Int, into soonest: inout [TimerPointer], frontier: inout [Int]) {
    frontier.removeAll(keepingCapacity: true)
    if limit > 0 && !heap.isEmpty { frontier.append(0) }
    while soonest.count < limit, !frontier.isEmpty {
      var best = 0
      for index in frontier.indices.dropFirst()
      where heap.entries[frontier[index]] < heap.entries[frontier[best]] {
        best = index
      }
      let taken = frontier[best]
      soonest.append(heap.entries[taken].timer)
      frontier[best] = frontier[frontier.count - 1]
      frontier.removeLast()
      frontier.append(contentsOf: heap.children(of: taken))
    }
  }

  mutating func insert(_ timer: TimerPointer) {
    lastSequence += 1
    timer.pointee.sequence = lastSequence
    heap.insert(
      Entry(
        time: timer.pointee.hasUsualLeeway ? timer.pointee.deadline : timer.pointee.latest,
        timer: timer))
  }

  /// - Returns: whether the timer was in the heap.
  mutating func remove(_ timer: TimerPointer) -> Bool {
    let index = timer.pointee.heapIndex
    // In a forked child, the timer may be in the parent's heap.
    guard index >= 0, index < heap.count, heap.entries[index].timer == timer else { return false }
    heap.remove(at: index)
    return true
  }
}
