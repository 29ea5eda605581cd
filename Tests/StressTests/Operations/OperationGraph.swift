// OperationGraph — random operations that depend on earlier ones, over several queues, with a
// record of what each has done.

import SignalboxOperations
import SignalboxTestSupport

final class OperationGraph: Sendable {
  /// How an operation ends.
  enum Kind: CaseIterable { case main, block, asynchronous }

  let queues: [OperationQueue]
  let operations: [Operation]
  /// For each operation, the operations that must run before it, whatever else is added or
  /// removed.
  let dependencies: [[Int]]

  /// The queue of each operation.
  private let home: [Int]
  private let marks: [Mark]
  private let inside: [Counter]
  private let widths: [Int]
  private let excesses = Counter()
  private let completions: EventCounter
  private let tracker = LeakTracker()
  private let watch = WeakWatch()

  /// What the test knows about one operation. The operation writes `value` when it runs, and
  /// its dependents read it without synchronization: the library must order that.
  private struct Mark: Sendable {
    let runs = Counter()
    let completions = Counter()
    let value = Unguarded(0)
    /// The dependencies that had not run when this operation ran.
    let missed = Unguarded<[Int]>([])
  }

  static let maximumSize = Stress.together > .seconds(10) ? 10_000 : 300

  /// Draws a graph, and adds nothing to a queue yet.
  init(atMost limit: Int = OperationGraph.maximumSize, _ random: inout SeededGenerator) {
    // Sometimes a large graph; small ones leave time for more graphs.
    let share = Int.random(in: 1...10, using: &random)
    let size = Int.random(in: 2...max(2, limit / share), using: &random)
    let widths = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      [1, 2, 3, 4, OperationQueue.defaultMaxConcurrentOperationCount].randomElement(using: &random)!
    }
    let density = [0, 1, 2, 5].randomElement(using: &random)!
    let reach = Bool.random(using: &random) ? size : 10
    let dependencies: [[Int]] = (0..<size).map { index in
      guard index > 0 else { return [] }
      let earlier = max(0, index - reach)..<index
      return (0..<Int.random(in: 0...density, using: &random)).map { _ in
        Int.random(in: earlier, using: &random)
      }
    }
    let marks = (0..<size).map { _ in Mark() }
    let inside = widths.map { _ in Counter() }
    let homes = (0..<size).map { _ in Int.random(in: 0..<widths.count, using: &random) }
    self.widths = widths
    self.dependencies = dependencies
    self.marks = marks
    self.inside = inside
    queues = widths.enumerated().map { number, width in
      let queue = OperationQueue()
      queue.name = "org.signalbox.stress.\(number)"
      queue.maxConcurrentOperationCount = width
      return queue
    }
    home = homes
    let completions = EventCounter("completions")
    self.completions = completions
    var made: [Operation] = []
    for index in 0..<size {
      let object = tracker.makeObject()
      let steps = Int.random(in: 0...60, using: &random)
      let run: @Sendable () -> Void = { [excesses] in
        object.touch()
        let home = homes[index]
        let together = inside[home].increment()
        if widths[home] > 0 && together > widths[home] { excesses.increment() }
        let mark = marks[index]
        mark.runs.increment()
        mark.missed.value = dependencies[index].filter { marks[$0].value.value != $0 + 1 }
        dawdle(steps)
        mark.value.value = index + 1
        inside[home].decrement()
      }
      let operation = Self.make(Kind.allCases.randomElement(using: &random)!, run)
      operation.name = "operation \(index)"
      operation.queuePriority =
        [.veryLow, .low, .normal, .high, .veryHigh].randomElement(using: &random)!
      operation.completionBlock = {
        object.touch()
        marks[index].completions.increment()
        completions.increment()
      }
      for earlier in dependencies[index] { operation.addDependency(made[earlier]) }
      made.append(watch.watch(operation))
    }
    operations = made
  }

  private static func make(_ kind: Kind, _ run: @escaping @Sendable () -> Void) -> Operation {
    switch kind {
    case .main: return RunningOperation(run)
    case .block: return BlockOperation(block: run)
    case .asynchronous: return LaterOperation(run)
    }
  }

  /// Adds every operation to its queue, in the given order.
  func add(_ order: some Sequence<Int>) {
    for index in order { queues[home[index]].addOperation(operations[index]) }
  }

  func waitUntilAllAreFinished() {
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }

  /// Call it when all have finished. Checks that each operation ran once or was cancelled, in
  /// order, and called one completion block.
  func check(cancelledAtMost: Int) throws {
    var skipped = 0
    for (index, mark) in marks.enumerated() {
      let operation = operations[index]
      try agree(operation.isFinished, true, "isFinished of \(index)")
      try agree(operation.isExecuting, false, "isExecuting of \(index)")
      if operation.isCancelled && mark.runs.value == 0 {
        skipped += 1
      } else {
        try agree(mark.runs.value, 1, "runs of \(index), \(operation.isCancelled)")
      }
    }
    if skipped > cancelledAtMost { throw Broken("\(skipped) of \(cancelledAtMost) were skipped") }
    try completions.wait(for: operations.count)
    for (index, mark) in marks.enumerated() {
      try agree(mark.completions.value, 1, "completions of \(index)")
    }
    // An operation may run before a dependency only if that dependency never ran.
    let disorders = marks.flatMap(\.missed.value).count { marks[$0].runs.value > 0 }
    try agree(disorders, 0, "operations before those that they depend on")
    try agree(excesses.value, 0, "operations beyond the width of their queue")
    for queue in queues { try agree(queue.operationCount, 0, "operations left") }
  }

  /// A function that waits until the whole graph is freed. It does not retain the graph.
  var ends: @Sendable () throws -> Void {
    { [tracker, watch] in
      try watch.waitUntilAllAreFreed()
      try tracker.waitUntilAllAreFreed()
    }
  }
}

private final class RunningOperation: Operation, @unchecked Sendable {
  // SAFETY: the properties that it adds to `Operation` are immutable.
  private let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
    super.init()
  }
  override func main() { run() }
}
