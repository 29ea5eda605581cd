import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ObservationTests {
  @Test func trackerCountsHeldAndFreedObjects() throws {
    let tracker = LeakTracker()
    var held: [TrackedObject] = (0..<3).map { _ in tracker.makeObject() }
    #expect(tracker.alive == 3)
    held.removeLast()
    #expect(tracker.alive == 2)
    #expect(tracker.freed == 1)
    held.removeAll()
    try tracker.waitUntilAllAreFreed()
    #expect(tracker.made == 3)
    #expect(tracker.alive == 0)
  }

  @Test func weakWatchReportsWhenAnObjectIsFreed() throws {
    final class Thing {}
    let watch = WeakWatch()
    var things = [watch.watch(Thing()), watch.watch(Thing())]
    #expect(things.count == 2)
    #expect(watch.alive == 2)
    things.removeLast()
    #expect(watch.alive == 1)
    things.removeLast()
    try watch.waitUntilAllAreFreed()
    #expect(watch.watched == 2)
  }

  @Test func sameSeedGivesTheSameNumbers() {
    var one = SeededGenerator(seed: 7)
    var other = SeededGenerator(seed: 7)
    var third = SeededGenerator(seed: 8)
    let numbers = (0..<100).map { _ in one.next() }
    #expect(numbers == (0..<100).map { _ in other.next() })
    #expect(numbers != (0..<100).map { _ in third.next() })
    #expect(Set(numbers).count == 100)
  }

  @Test func splitGeneratorHasItsOwnSequence() {
    var one = SeededGenerator(seed: 7)
    var branch = one.split()
    #expect((0..<10).map { _ in one.next() } != (0..<10).map { _ in branch.next() })
  }

  @Test func everyCombinationIsRunOnce() throws {
    var seen: [String] = []
    try withEvery("a", in: [1, 2]) { a in
      try withEvery("b", in: ["x", "y", "z"]) { b in
        seen.append("\(a)\(b)")
        #expect(Combination.text == "a = \(a), b = \(b)")
      }
    }
    #expect(seen == ["1x", "1y", "1z", "2x", "2y", "2z"])
    #expect(Combination.text.isEmpty)
  }

  @Test func failingCombinationIsNamed() {
    struct Broken: Error {}
    let failure = #expect(throws: FailedCombination.self) {
      try withEvery("a", in: 1...3) { a in
        try withEvery("b", in: 1...3) { b in
          if a == 2 && b == 3 { throw Broken() }
        }
      }
    }
    #expect(failure?.choices == "a = 2, b = 3")
    #expect(failure?.cause is Broken)
  }

  @Test func everyOrderHasEachPermutationOnce() {
    let orders = everyOrder(of: [1, 2, 3, 4])
    #expect(orders.count == 24)
    #expect(Set(orders).count == 24)
    #expect(orders.allSatisfy { $0.sorted() == [1, 2, 3, 4] })
    #expect(everyOrder(of: [Int]()) == [[]])
  }

  @Test func limitsAreOrderedAndScaled() {
    #expect(RealTime.settling < RealTime.delay)
    #expect(RealTime.delay < RealTime.wedge)
    #expect(RealTime.wedge < RealTime.life)
    #expect(RealTime.wedge == Duration.seconds(20) * RealTime.factor)
    #expect(Duration.milliseconds(3) * 2.5 == .microseconds(7500))
  }
}
