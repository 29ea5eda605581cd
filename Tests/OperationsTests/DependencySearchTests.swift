// DependencySearchTests — cycles of dependencies: which ones the search finds, and what it costs.

import Glibc
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

  @Test func lastEdgeOfACycleIsFoundWithItsPath() {
    for count in 2...6 {
      let operations = chain(count)
      // The first operation would depend on the last one.
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

  @Test func finishedOperationsCloseNoCycle() {
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

  @Test func edgeIsCountedOnceAndRemovedOnce() {
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

  /// If each removal looked at all remaining dependents, it would cost a hundred times as much
  /// with a hundred times as many.
  @Test(arguments: ["first to last", "last to first", "at random", "removed"])
  func leavingALongListCostsNoMoreThanLeavingAShortOne(order: String) {
    func nanosecondsForOne(of count: Int) -> Double {
      let other = Operation()
      var dependents = (0..<count).map { _ in Operation() }
      for one in dependents { one.addDependency(other) }
      var generator = SeededGenerator(seed: 7)
      switch order {
      case "last to first": dependents.reverse()
      case "at random": dependents.shuffle(using: &generator)
      default: break
      }
      let begin = threadNanoseconds()
      if order == "removed" {
        for one in dependents { one.removeDependency(other) }
      } else {
        dependents = []
      }
      let end = threadNanoseconds()
      #expect(other.dependents.isEmpty)
      return Double(end - begin) / Double(count)
    }
    let short = (0..<20).map { _ in nanosecondsForOne(of: 500) }.min()!
    // The least of several here too: a host that stops the processor makes one of them long.
    #expect((0..<3).contains { _ in nanosecondsForOne(of: 50_000) < 20 * short })
  }

  @Test(arguments: ["first to last", "last to first", "at random", "the last one there is"])
  func removingOneOfManyDependenciesCostsNoMoreThanOneOfFew(order: String) {
    func nanosecondsForOne(of count: Int) -> Double {
      let one = Operation()
      var others = (0..<count).map { _ in Operation() }
      for other in others { one.addDependency(other) }
      var generator = SeededGenerator(seed: 11)
      switch order {
      case "last to first": others.reverse()
      case "at random": others.shuffle(using: &generator)
      default: break
      }
      let begin = threadNanoseconds()
      if order == "the last one there is" {
        while let last = one.dependencies.last { one.removeDependency(last) }
      } else {
        for other in others { one.removeDependency(other) }
      }
      let end = threadNanoseconds()
      #expect(one.dependencies.isEmpty)
      #expect(one.unfinished == 0)
      #expect(others.allSatisfy { $0.dependents.isEmpty })
      return Double(end - begin) / Double(count)
    }
    let short = (0..<20).map { _ in nanosecondsForOne(of: 500) }.min()!
    // The least of several here too: a host that stops the processor makes one of them long.
    #expect((0..<3).contains { _ in nanosecondsForOne(of: 50_000) < 20 * short })
  }

  /// Adds and removes many dependencies at random, and checks the list now and then.
  @Test(arguments: [3, 50, 1_000])
  func theOtherDependenciesKeepTheirOrder(between looks: Int) {
    var generator = SeededGenerator(seed: 23)
    let one = Operation()
    let gone = Operation()
    var others: [Operation] = []
    for step in 0..<8_000 {
      if others.count > 300, Int.random(in: 0..<9, using: &generator) < 5 {
        one.removeDependency(others.remove(at: Int.random(in: others.indices, using: &generator)))
      } else {
        others.append(Operation())
        for _ in 0..<2 { one.addDependency(others[others.count - 1]) }
      }
      one.removeDependency(gone)
      if step % looks == 0 { #expect(one.dependencies == others) }
    }
    #expect(one.dependencies == others)
    #expect(one.unfinished == others.count)
    for other in others.shuffled(using: &generator) { one.removeDependency(other) }
    #expect(one.dependencies.isEmpty)
    #expect(one.isReady)
  }

  @Test(arguments: [40, 400]) func aRemovedDependencyIsReleased(of count: Int) {
    var generator = SeededGenerator(seed: 24)
    let one = Operation()
    let operations = WeakWatch()
    for _ in 0..<count { one.addDependency(operations.watch(Operation())) }
    var others = one.dependencies.shuffled(using: &generator)
    while let other = others.popLast() { one.removeDependency(other) }
    #expect(operations.alive == 0)
    #expect(one.dependencies.isEmpty)
  }

  /// Many dependents come and leave at random; the remaining ones are notified in order.
  @Test func theRemainingDependenciesKeepTheirOrder() {
    var generator = SeededGenerator(seed: 22)
    let other = Operation()
    var waiting: [Operation] = []
    for _ in 0..<4_000 {
      if waiting.count > 100, Int.random(in: 0..<9, using: &generator) < 5 {
        let one = waiting.remove(at: Int.random(in: waiting.indices, using: &generator))
        one.removeDependency(other)
        #expect(one.unfinished == 0)
      } else {
        let one = Operation()
        one.addDependency(other)
        one.addDependency(other)
        waiting.append(one)
      }
    }
    let listed = other.dependents.compactMap { $0.map { UnsafeRawPointer($0.toOpaque()) } }
    #expect(listed == waiting.map(\.address))
    other.start()
    #expect(other.dependents.isEmpty)
    #expect(waiting.allSatisfy { $0.isReady && $0.unfinished == 0 })
  }

  /// If a chain were released from its end, it would be freed recursively.
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

/// The processor time of the calling thread.
private func threadNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
