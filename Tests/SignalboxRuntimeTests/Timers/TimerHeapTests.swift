// TimerHeapTests — the earliest timer is on top, whatever was inserted and removed.

@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Timer heap") struct TimerHeapTests {
  private static func makeTimer(_ deadline: UInt64) -> TimerPointer {
    let timer = TimerPointer.allocate(capacity: 1)
    timer.initialize(to: TimerNode(Deadline(.uptime, deadline)) { _ in })
    return timer
  }

  @Test func timersComeOutInTheOrderOfTheirDeadlines() {
    var random = SeededGenerator.announced()
    for size in [0, 1, 2, 3, 10, 500] {
      var heap = TimerHeap()
      let timers = (0..<size).map { _ in
        Self.makeTimer(UInt64.random(in: 0..<1_000, using: &random))
      }
      timers.forEach { heap.insert($0) }
      // Removes a third of the timers from the middle.
      let cancelled = timers.enumerated().filter { $0.offset % 3 == 1 }.map(\.element)
      for timer in cancelled {
        let removals = [heap.remove(timer), heap.remove(timer)]
        #expect(removals == [true, false])
      }
      var got: [UInt64] = []
      while let timer = heap.first {
        got.append(timer.pointee.deadline)
        let removed = heap.remove(timer)
        #expect(removed)
      }
      let left = timers.filter { !cancelled.contains($0) }
      #expect(got == left.map(\.pointee.deadline).sorted())
      #expect(heap.isEmpty)
      timers.forEach { $0.deallocate() }
    }
  }

  /// A report lists them this way, without a change to the heap.
  @Test func theFirstAreListedInOrder() {
    var random = SeededGenerator.announced()
    for size in [0, 1, 2, 5, 20, 700] {
      var heap = TimerHeap()
      let timers = (0..<size).map { _ in
        Self.makeTimer(UInt64.random(in: 0..<300, using: &random))
      }
      timers.forEach { heap.insert($0) }
      let sorted = timers.map(\.pointee.deadline).sorted()
      for limit in [0, 1, 7, 100, 1000] {
        var (soonest, frontier): ([TimerPointer], [Int]) = ([], [])
        frontier.reserveCapacity(limit * 4)
        let room = frontier.capacity
        heap.list(limit, into: &soonest, frontier: &frontier)
        #expect(soonest.map(\.pointee.deadline) == Array(sorted.prefix(limit)))
        #expect(frontier.capacity == room)
        #expect(heap.count == size)
      }
      timers.forEach { $0.deallocate() }
    }
  }
}
