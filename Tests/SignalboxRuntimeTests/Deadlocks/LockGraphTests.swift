// LockGraphTests — which cycles the graph of lock orders finds, and what it forgets.

@testable import SignalboxDiagnostics
@testable import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite struct LockGraphTests {
  private static func witness(_ text: String) -> LockGraph.Witness {
    let trace = Backtrace(addresses: [])
    return LockGraph.Witness(thread: text, held: "", heldAt: trace, taken: "", takenAt: trace)
  }

  /// Adds the order of two locks with these addresses and names.
  private static func add(
    _ graph: inout LockGraph, _ held: (UInt, String), _ taken: (UInt, String)
  ) -> [String]? {
    let (a, b) = (graph.lock(at: held.0, name: held.1), graph.lock(at: taken.0, name: taken.1))
    guard let edge = LockGraph.edge(a, b) else { return nil }
    return graph.add(edge, witness("\(held.0)\(taken.0)"))?.map(\.thread)
  }

  private static func lock(_ address: UInt) -> (UInt, String) { (address, "") }

  @Test func oneOrderIsNotACycle() {
    var graph = LockGraph()
    #expect(Self.add(&graph, Self.lock(1), Self.lock(2)) == nil)
    #expect(Self.add(&graph, Self.lock(2), Self.lock(3)) == nil)
    #expect(Self.add(&graph, Self.lock(1), Self.lock(3)) == nil)
    #expect(graph.size == (3, 3))
  }

  @Test func twoOrdersAreACycleWhichIsFoundOnce() {
    var graph = LockGraph()
    _ = Self.add(&graph, Self.lock(1), Self.lock(2))
    #expect(Self.add(&graph, Self.lock(2), Self.lock(1)) == ["21", "12"])
    #expect(Self.add(&graph, Self.lock(2), Self.lock(1)) == nil)
    #expect(Self.add(&graph, Self.lock(1), Self.lock(2)) == nil)
  }

  @Test func aLongCycleIsFoundByItsShortestWay() {
    var graph = LockGraph()
    for (held, taken) in [(1, 2), (2, 3), (3, 4), (2, 4)] as [(UInt, UInt)] {
      _ = Self.add(&graph, Self.lock(held), Self.lock(taken))
    }
    #expect(Self.add(&graph, Self.lock(4), Self.lock(1)) == ["41", "12", "24"])
  }

  @Test func takingALockAgainIsNotAnOrder() {
    var graph = LockGraph()
    #expect(Self.add(&graph, Self.lock(1), Self.lock(1)) == nil)
    #expect(Self.add(&graph, (1, "a"), (1, "a")) == nil)
    #expect(graph.size.edges == 0)
  }

  @Test func locksOfOneNameFormOneClass() {
    var graph = LockGraph()
    _ = Self.add(&graph, (1, "a"), (2, "b"))
    #expect(Self.add(&graph, (3, "b"), (4, "a")) == ["34", "12"])
  }

  @Test func locksOfOneNameAreDistinguishedWithinTheirClass() {
    var graph = LockGraph()
    #expect(Self.add(&graph, (1, "a"), (2, "a")) == nil)
    #expect(Self.add(&graph, (2, "a"), (3, "a")) == nil)
    #expect(Self.add(&graph, (3, "a"), (1, "a")) == ["31", "12", "23"])
  }

  @Test func aFreedLocksAddressIsAnotherLock() {
    var graph = LockGraph()
    _ = Self.add(&graph, Self.lock(1), Self.lock(2))
    _ = Self.add(&graph, Self.lock(2), Self.lock(3))
    graph.forget(2)
    #expect(graph.size == (2, 0))
    #expect(Self.add(&graph, Self.lock(2), Self.lock(1)) == nil)
    #expect(Self.add(&graph, Self.lock(3), Self.lock(2)) == nil)
  }

  @Test func aFreedLocksClassStays() {
    var graph = LockGraph()
    _ = Self.add(&graph, (1, "a"), (2, "b"))
    graph.forget(1)
    graph.forget(2)
    #expect(Self.add(&graph, (4, "b"), (3, "a")) == ["43", "12"])
  }

  @Test func aLockWithANewNameIsAnotherLock() {
    var graph = LockGraph()
    let old = graph.lock(at: 1, name: "a")
    let new = graph.lock(at: 1, name: "b")
    #expect(old.single != new.single)
    #expect(old.group != new.group)
    #expect(!graph.isCurrent(old, at: 1))
    #expect(graph.isCurrent(new, at: 1))
  }

  @Test func aLockUnlockedByAnotherThreadIsNotHeld() {
    var graph = LockGraph()
    let lock = graph.lock(at: 1, name: "")
    graph.noteForeignLeave(1)
    #expect(!graph.isCurrent(lock, at: 1))
    #expect(graph.isCurrent(graph.lock(at: 1, name: ""), at: 1))
    graph.noteForeignLeave(2)
  }

  @Test func aLaterGraphDoesNotReuseLocksOfAnEarlierOne() {
    var graph = LockGraph()
    let old = graph.lock(at: 1, name: "")
    var next = LockGraph(after: graph)
    #expect(!next.isCurrent(old, at: 1))
    #expect(next.lock(at: 1, name: "") != old)
  }

  @Test func aLockWhoseEndIsNotReportedHasNoOrder() {
    var graph = LockGraph()
    let lock = graph.lock(at: 1, name: "")
    #expect(LockGraph.edge(lock, .unknown) == nil)
    #expect(LockGraph.edge(.unknown, lock) == nil)
    #expect(graph.isCurrent(.unknown, at: 7))
  }

  /// Compares with an exhaustive search.
  @Test func findsACycleIfAndOnlyIfThereIsOne() {
    var random = SeededGenerator.announced()
    for _ in 0..<300 {
      var graph = LockGraph()
      var edges: Set<[UInt]> = []
      let count = UInt.random(in: 2...9, using: &random)
      for _ in 0..<30 {
        let (a, b) = (
          UInt.random(in: 1...count, using: &random), UInt.random(in: 1...count, using: &random)
        )
        if Int.random(in: 0..<12, using: &random) == 0 {
          graph.forget(a)
          edges = edges.filter { !$0.contains(a) }
          continue
        }
        let isNew = a != b && !edges.contains([a, b])
        let found = Self.add(&graph, Self.lock(a), Self.lock(b))
        #expect((found != nil) == (isNew && Self.reaches(edges, from: b, to: a)))
        if let found {
          // Each order of the cycle begins where the previous one ends.
          let ends = found.map { (Array($0).first!, Array($0).last!) }
          for (one, next) in zip(ends, ends.dropFirst() + ends.prefix(1)) {
            #expect(one.1 == next.0)
          }
        }
        if a != b { edges.insert([a, b]) }
      }
    }
  }

  private static func reaches(_ edges: Set<[UInt]>, from start: UInt, to end: UInt) -> Bool {
    var reached: Set<UInt> = [start]
    while true {
      let next = reached.union(edges.filter { reached.contains($0[0]) }.map { $0[1] })
      if next == reached { return reached.contains(end) }
      reached = next
    }
  }
}
