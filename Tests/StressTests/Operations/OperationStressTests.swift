// OperationStressTests — operations in random graphs over several queues, cancelled, suspended
// and resumed at any moment, with dependencies that are added and removed.

import SignalboxDispatch
import SignalboxOperations
import SignalboxTestSupport
import Testing

let operationSubjects = [
  Subject("of a graph of operations each runs once, in order", runGraph),
  Subject("each operation runs once or is cancelled, and all are freed", cancelAtRandom),
  Subject("dependencies come and go while operations run", changeDependencies),
  Subject("dependencies are turned round while an operation ends", turnDependencies),
  Subject("queues that are suspended, widened and narrowed lose no operation", disturbQueues),
  Subject("barriers run alone between operations", barriersAmongOperations),
  Subject("whoever waits for operations returns, and sees what they wrote", waitForOperations),
]

@Suite struct OperationStressTests {
  @Test(arguments: operationSubjects) func holds(_ subject: Subject) throws {
    try subject.smoke()
  }
}

/// Runs the body and expects that its graph is freed afterwards.
private func untilFreed(_ body: () throws -> OperationGraph) throws {
  let ends = try body().ends
  try ends()
}

private func runGraph(_ random: inout SeededGenerator) throws {
  try untilFreed {
    let graph = OperationGraph(&random)
    graph.add(graph.operations.indices.shuffled(using: &random))
    graph.waitUntilAllAreFinished()
    try graph.check(cancelledAtMost: 0)
    return graph
  }
}

private func cancelAtRandom(_ random: inout SeededGenerator) throws {
  try untilFreed {
    let graph = OperationGraph(&random)
    let all = graph.operations.count
    let order = graph.operations.indices.shuffled(using: &random)
    let victims = (0..<Int.random(in: 0...all, using: &random)).map { _ in
      Int.random(in: 0..<all, using: &random)
    }
    let cancelsAll = Int.random(in: 0..<4, using: &random) == 0
    let pause = Int.random(in: 0...500, using: &random)
    let isEarly = Bool.random(using: &random)
    if isEarly { for index in victims.prefix(all / 4) { graph.operations[index].cancel() } }
    try runThreads(2) { thread in
      if thread == 0 {
        graph.add(order)
      } else {
        for index in victims {
          dawdle(pause)
          graph.operations[index].cancel()
        }
        if cancelsAll { graph.queues[0].cancelAllOperations() }
      }
    }
    graph.waitUntilAllAreFinished()
    for index in victims { graph.operations[index].cancel() }
    try graph.check(cancelledAtMost: cancelsAll ? all : Set(victims).count)
    return graph
  }
}

/// Changes dependencies in addition to those of the graph, which stay. Each points backwards,
/// so that there is no cycle.
private func changeDependencies(_ random: inout SeededGenerator) throws {
  try untilFreed {
    let graph = OperationGraph(&random)
    let all = graph.operations.count
    let order = graph.operations.indices.shuffled(using: &random)
    let generators = (0..<2).map { _ in random.split() }
    try runThreads(3) { thread in
      if thread == 2 { return graph.add(order) }
      var random = generators[thread]
      for _ in 0..<all {
        let later = Int.random(in: 1..<max(2, all), using: &random)
        let earlier = Int.random(in: 0..<later, using: &random)
        if graph.dependencies[later].contains(earlier) { continue }
        let (operation, dependency) = (graph.operations[later], graph.operations[earlier])
        operation.addDependency(dependency)
        dawdle(Int.random(in: 0...100, using: &random))
        if Bool.random(using: &random) { operation.removeDependency(dependency) }
        _ = operation.isReady
      }
    }
    graph.waitUntilAllAreFinished()
    try graph.check(cancelledAtMost: 0)
    return graph
  }
}

/// Other operations depend on each operation. While it runs and ends, the test adds and removes
/// dependencies on those operations.
private func turnDependencies(_ random: inout SeededGenerator) throws {
  let steps = Int.random(in: 0...200, using: &random)
  let width = Int.random(in: 1...8, using: &random)
  let operations = (0..<100).map { _ in BlockOperation { dawdle(steps) } }
  let dependents = operations.map { operation in
    (0..<width).map { _ in
      let dependent = Operation()
      dependent.addDependency(operation)
      return dependent
    }
  }
  try runThreads(2) { thread in
    for (operation, others) in zip(operations, dependents) {
      if thread == 0 {
        operation.start()
        continue
      }
      while !operation.isExecuting && !operation.isFinished { dawdle(10) }
      repeat {
        for other in others.reversed() {
          operation.removeDependency(other)
          operation.addDependency(other)
          operation.addDependency(other)
          operation.removeDependency(other)
        }
      } while !operation.isFinished
    }
  }
  for other in dependents.joined() {
    try agree(other.isReady, true, "isReady after the end of what it depends on")
    other.start()
  }
}

private func disturbQueues(_ random: inout SeededGenerator) throws {
  try untilFreed {
    let graph = OperationGraph(&random)
    let order = graph.operations.indices.shuffled(using: &random)
    let generator = random.split()
    let isAdded = Counter()
    try runThreads(2) { thread in
      if thread == 0 {
        graph.add(order)
        isAdded.increment()
        return
      }
      var random = generator
      repeat {
        let queue = graph.queues.randomElement(using: &random)!
        let width = queue.maxConcurrentOperationCount
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          queue.isSuspended = true
          dawdle(Int.random(in: 0...2000, using: &random))
          queue.isSuspended = false
        case 1 where width > 1:
          // Never above the width that the test checks.
          queue.maxConcurrentOperationCount = Int.random(in: 1..<width, using: &random)
          dawdle(Int.random(in: 0...2000, using: &random))
          queue.maxConcurrentOperationCount = width
        default:
          graph.operations.randomElement(using: &random)!.queuePriority =
            [.veryLow, .normal, .veryHigh].randomElement(using: &random)!
        }
      } while isAdded.value == 0 || graph.queues.contains { $0.operationCount > 0 }
    }
    graph.waitUntilAllAreFinished()
    try graph.check(cancelledAtMost: 0)
    return graph
  }
}

private func barriersAmongOperations(_ random: inout SeededGenerator) throws {
  let queue = OperationQueue()
  queue.maxConcurrentOperationCount = [-1, 1, 3].randomElement(using: &random)!
  let underlying = DispatchQueue(
    label: "org.signalbox.stress.underlying", attributes: .concurrent)
  if Bool.random(using: &random) { queue.underlyingQueue = underlying }
  let inside = Counter(), intruders = Counter(), disorders = Counter(), ran = Counter()
  let part = Unguarded(0)
  let parts = Int.random(in: 2...40, using: &random)
  var expected = 0
  for number in 0..<parts {
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let steps = Int.random(in: 0...100, using: &random)
      expected += 1
      let operation = BlockOperation {
        inside.increment()
        if part.value != number { disorders.increment() }
        dawdle(steps)
        ran.increment()
        inside.decrement()
      }
      if Int.random(in: 0..<8, using: &random) == 0 { operation.queuePriority = .veryHigh }
      queue.addOperation(operation)
    }
    queue.addBarrierBlock {
      if inside.increment() != 1 { intruders.increment() }
      if part.value != number { disorders.increment() }
      part.value = number + 1
      if inside.decrement() != 0 { intruders.increment() }
    }
  }
  queue.waitUntilAllOperationsAreFinished()
  try agree(part.value, parts, "barriers")
  try agree(ran.value, expected, "operations run")
  try agree(intruders.value, 0, "operations beside a barrier")
  try agree(disorders.value, 0, "operations on the wrong side of a barrier")
}

private func waitForOperations(_ random: inout SeededGenerator) throws {
  try untilFreed {
    let graph = OperationGraph(atMost: 200, &random)
    let all = graph.operations.count
    let order = graph.operations.indices.shuffled(using: &random)
    let generators = (0..<3).map { _ in random.split() }
    try runThreads(4) { thread in
      if thread == 3 { return graph.add(order) }
      var random = generators[thread]
      for _ in 0..<20 {
        let operation = graph.operations[Int.random(in: 0..<all, using: &random)]
        operation.waitUntilFinished()
        try agree(operation.isFinished, true, "isFinished after a wait")
      }
      graph.queues.randomElement(using: &random)!.waitUntilAllOperationsAreFinished()
    }
    graph.waitUntilAllAreFinished()
    try graph.check(cancelledAtMost: 0)
    return graph
  }
}
