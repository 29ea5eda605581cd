// Circles of dependencies: what is found, and what looking for them costs.

import SignalboxTestSupport
import Testing

@testable import SignalboxOperations

@Suite(.guarded) struct DependencySearchTests {
  private func circle(from start: Operation, to end: Operation) -> [Operation]? {
    let search = DependencySearch.shared
    search.lock()
    defer { search.unlock() }
    return search.circle(from: start, to: end)
  }

  private func chain(_ count: Int) -> [Operation] {
    let operations = (0..<count).map { _ in Operation() }
    for (one, next) in zip(operations, operations.dropFirst()) { next.addDependency(one) }
    return operations
  }

  @Test func lastEdgeOfACircleIsFoundWithItsWay() {
    for count in 2...6 {
      let operations = chain(count)
      // The first one is to depend on the last one.
      let found = circle(from: operations[0], to: operations[count - 1])
      #expect(found == operations.reversed())
    }
  }

  @Test func edgesOfALatticeCloseNothing() {
    let rows = (0..<5).map { _ in (0..<5).map { _ in Operation() } }
    for (row, next) in zip(rows, rows.dropFirst()) {
      for one in row { for other in next { other.addDependency(one) } }
    }
    #expect(circle(from: rows[4][0], to: rows[0][0]) == nil)
    #expect(circle(from: rows[0][0], to: rows[4][4])?.count == 5)
  }

  @Test func whatIsFinishedClosesNothing() {
    let operations = chain(3)
    OperationQueue().addOperation(operations[0])
    operations[0].waitUntilFinished()
    #expect(circle(from: operations[0], to: operations[2]) == nil)
  }

  /// Each edge has a long chain on one side and a single operation on the other.
  @Test func shortSideEndsTheSearch() {
    let long = chain(20_000)
    var ends: [Operation] = []
    for _ in 0..<2_000 {
      let reader = Operation()
      let loader = Operation()
      reader.addDependency(loader)
      loader.addDependency(long[long.count - 1])
      ends += [reader, loader]
    }
    #expect(ends.allSatisfy { !$0.isReady })
  }

  @Test func edgeIsCountedOnceAndTakenAwayOnce() {
    let (one, other) = (Operation(), Operation())
    one.addDependency(other)
    one.addDependency(other)
    #expect(one.dependencies == [other])
    #expect(one.unfinished == 1)
    #expect(other.dependents.count == 1)
    one.removeDependency(other)
    one.removeDependency(other)
    one.removeDependency(one)
    #expect(one.unfinished == 0)
    #expect(other.dependents.isEmpty)
  }

  @Test func operationThatIsFreedLeavesNoTrace() {
    let other = Operation()
    for _ in 0..<3 {
      let one = Operation()
      one.addDependency(other)
      #expect(other.dependents.count == 1)
    }
    #expect(other.dependents.isEmpty)
  }

  /// Released from its end, a chain would be freed by as many calls within each other.
  @Test func longChainIsFreedOnASmallStack() throws {
    let operations = WeakWatch()
    func make() -> Operation {
      let all = chain(50_000)
      for one in all { operations.watch(one) }
      return all[all.count - 1]
    }
    let last = Guarded<Operation?>(make())
    #expect(operations.alive == 50_000)
    let thread = JoinableThread { last.withValue { $0 = nil } }
    thread.thread.stackSize = 64 * 1024
    thread.start()
    thread.join()
    try operations.waitUntilAllAreFreed()
  }
}
