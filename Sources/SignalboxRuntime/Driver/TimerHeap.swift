// TimerHeap — the timers of one clock, the earliest on top.
//
// A binary heap of nodes that know their place, so that a cancelled timer is
// taken out at once and what it holds is freed at once. O(log n) to insert and
// to take out; O(1) to look at the earliest.
//
// Touching    everything: under the driver's lock.

/// The address of a timer at the head of its memory.
package typealias TimerPointer = UnsafeMutablePointer<TimerNode>

/// One timer: when, and what is called.
@frozen
package struct TimerNode {
  package typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Void

  /// Nanoseconds on `clock`.
  package let deadline: UInt64
  package let clock: Clock
  /// Called with the timer's address once it is due, by the timekeeper; must
  /// not wait.
  package let function: Function
  /// Where it stands in the heap; -1 when it is in none.
  var place = -1
  /// Orders timers of the same deadline as they were set.
  var sequence: UInt64 = 0

  package init(_ deadline: Deadline, _ function: @escaping Function) {
    self.deadline = deadline.nanoseconds
    self.clock = deadline.clock
    self.function = function
  }
}

struct TimerHeap {
  private var nodes: [TimerPointer] = []
  private var lastSequence: UInt64 = 0

  var isEmpty: Bool { nodes.isEmpty }
  var count: Int { nodes.count }
  var earliest: TimerPointer? { nodes.first }

  mutating func insert(_ timer: TimerPointer) {
    lastSequence += 1
    timer.pointee.sequence = lastSequence
    nodes.append(timer)
    timer.pointee.place = nodes.count - 1
    siftUp(nodes.count - 1)
  }

  /// Whether it was there.
  mutating func remove(_ timer: TimerPointer) -> Bool {
    let place = timer.pointee.place
    // In a forked child it may stand in the parent's heap.
    guard place >= 0, place < nodes.count, nodes[place] == timer else { return false }
    timer.pointee.place = -1
    let last = nodes.removeLast()
    guard last != timer else { return true }
    put(last, at: place)
    siftUp(place)
    siftDown(last.pointee.place)
    return true
  }

  private func isBefore(_ a: TimerPointer, _ b: TimerPointer) -> Bool {
    (a.pointee.deadline, a.pointee.sequence) < (b.pointee.deadline, b.pointee.sequence)
  }

  private mutating func put(_ timer: TimerPointer, at place: Int) {
    nodes[place] = timer
    timer.pointee.place = place
  }

  private mutating func siftUp(_ start: Int) {
    var place = start
    let timer = nodes[place]
    while place > 0 {
      let parent = (place - 1) / 2
      guard isBefore(timer, nodes[parent]) else { break }
      put(nodes[parent], at: place)
      place = parent
    }
    put(timer, at: place)
  }

  private mutating func siftDown(_ start: Int) {
    var place = start
    let timer = nodes[place]
    while true {
      var child = 2 * place + 1
      guard child < nodes.count else { break }
      if child + 1 < nodes.count && isBefore(nodes[child + 1], nodes[child]) { child += 1 }
      guard isBefore(nodes[child], timer) else { break }
      put(nodes[child], at: place)
      place = child
    }
    put(timer, at: place)
  }
}
