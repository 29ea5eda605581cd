// OperationLinesTests — which of several ready operations comes first.

import SignalboxRuntime
import Testing

@testable import SignalboxOperations

@Suite struct OperationLinesTests {
  private func operation(_ priority: Operation.QueuePriority, _ band: Band = .standard) -> Operation
  {
    let operation = Operation()
    operation.line = OperationLines.index(of: priority)
    operation.band = band
    return operation
  }

  /// Removes all operations in order.
  private func drain(_ lines: inout OperationLines, _ band: Band? = nil) -> [Operation] {
    var order: [Operation] = []
    while let index = band.map({ lines.best(of: $0) }) ?? lines.best,
      let first = lines.first(at: index)
    {
      // SAFETY: the test holds a reference to each.
      let operation = first.takeUnretainedValue()
      lines.remove(operation)
      order.append(operation)
    }
    return order
  }

  @Test func prioritiesConvertBothWays() {
    let all: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
    #expect(all.map { OperationLines.index(of: $0) } == [0, 1, 2, 3, 4])
    #expect(all.map { OperationLines.priority(of: OperationLines.index(of: $0)) } == all)
    #expect(OperationLines.index(of: .normal) == OperationLines.usual)
  }

  @Test func higherPrioritiesComeFirstAndEqualOnesInTheirOrder() {
    var lines = OperationLines()
    let wanted: [Operation.QueuePriority] = [.veryHigh, .high, .high, .normal, .low, .veryLow]
    let operations = wanted.map { operation($0) }
    for index in [3, 1, 5, 0, 2, 4] { lines.append(operations[index]) }
    #expect(lines.ready == 6)
    #expect(drain(&lines) == operations)
    #expect(lines.ready == 0)
    lines.release()
  }

  @Test func withinAPriorityTheHigherClassIsFirst() {
    var lines = OperationLines()
    let operations = [
      operation(.high, .background), operation(.normal, .userInteractive),
      operation(.normal, .standard), operation(.normal, .background),
      operation(.low, .userInteractive),
    ]
    for operation in operations.reversed() { lines.append(operation) }
    #expect(drain(&lines) == operations)
    lines.release()
  }

  @Test func theNextOperationOfAClassIsFound() {
    var lines = OperationLines()
    let background = [operation(.veryHigh, .background), operation(.low, .background)]
    let others = [operation(.normal), operation(.low, .userInteractive)]
    for operation in others + background { lines.append(operation) }
    #expect(drain(&lines, .background) == background)
    #expect(lines.best(of: .background) == nil)
    #expect(drain(&lines) == others)
    lines.release()
  }

  @Test func operationsBeforeAPlaceAreCounted() {
    var lines = OperationLines()
    let all = [
      operation(.veryHigh, .background), operation(.high), operation(.normal, .userInteractive),
      operation(.normal), operation(.normal), operation(.low, .background),
    ]
    for operation in all { lines.append(operation) }
    #expect(lines.best(of: .standard).map { lines.count(before: $0) } == 1)
    #expect(lines.best(of: .userInteractive).map { lines.count(before: $0) } == 2)
    lines.remove(all[0])
    #expect(lines.best(of: .background).map { lines.count(before: $0) } == 4)
    #expect(drain(&lines) == Array(all.dropFirst()))
    lines.release()
  }

  @Test func anOperationCanLeaveFromAnyPlaceInALine() {
    var lines = OperationLines()
    for left in 0..<4 {
      let operations = (0..<4).map { _ in operation(.normal) }
      for operation in operations { lines.append(operation) }
      lines.remove(operations[left])
      var expected = operations
      expected.remove(at: left)
      #expect(drain(&lines) == expected, "without \(left)")
    }
    lines.release()
  }
}
