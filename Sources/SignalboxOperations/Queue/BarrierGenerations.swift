// BarrierGenerations — the barrier generations of a queue.
//
// A barrier is a generation of its own; so are all operations added between two barriers. Only
// operations of the first unfinished generation may run. An operation of a later generation that
// becomes ready waits here until its generation begins. A barrier therefore needs no dependencies,
// and costs the same however many operations precede it.
//
// Without a barrier there is one generation, and nothing is counted.
//
// Touching    everything: under the lock of the queue.

struct BarrierGenerations {
  private struct Generation {
    /// The number of its unfinished operations.
    var count: Int
    let isBarrier: Bool
    /// The operations that are ready while the generation has not begun.
    var held = OperationLine()
  }

  /// The generation whose operations may run.
  private(set) var current: UInt32 = 0
  /// The generations from the current one on; empty while there is only one.
  private var generations: [Generation] = []
  /// The number of finished generations at the beginning of the array.
  private var passed = 0

  /// Whether there is a barrier.
  var areCounted: Bool { !generations.isEmpty }

  /// Counts a new operation and assigns its generation.
  ///
  /// - Parameter others: the number of operations already in the queue.
  mutating func admit(_ operation: Operation, isBarrier: Bool, others: Int) {
    if generations.isEmpty {
      guard isBarrier else {
        operation.barrierGeneration = current
        return
      }
      // If no operation precedes the barrier, skip this: an empty generation would never end.
      if others > 0 { generations.append(Generation(count: others, isBarrier: false)) }
    }
    if isBarrier || generations.isEmpty || generations[generations.count - 1].isBarrier {
      generations.append(Generation(count: 0, isBarrier: isBarrier))
    }
    generations[generations.count - 1].count += 1
    operation.barrierGeneration = current &+ UInt32(generations.count - 1 - passed)
  }

  func isOpen(to operation: Operation) -> Bool { operation.barrierGeneration == current }

  mutating func hold(_ operation: Operation) {
    // SAFETY: the queue keeps the operations in its lines alive.
    generations[index(of: operation)].held.append(Unmanaged.passUnretained(operation))
  }

  mutating func letGo(_ operation: Operation) {
    // SAFETY: as above.
    generations[index(of: operation)].held.remove(Unmanaged.passUnretained(operation))
  }

  private func index(of operation: Operation) -> Int {
    passed + Int(operation.barrierGeneration &- current)
  }

  /// Removes a finished operation.
  ///
  /// - Parameter lines: receives the operations that waited here and may now run.
  mutating func leave(_ operation: Operation, opening lines: inout OperationLines) {
    generations[index(of: operation)].count -= 1
    while passed < generations.count, generations[passed].count == 0 {
      // Operations may still join the last generation, unless it is a barrier.
      if passed + 1 == generations.count && !generations[passed].isBarrier { break }
      passed += 1
      current &+= 1
      if passed < generations.count { open(passed, &lines) }
    }
    if passed >= generations.count - 1,
      generations.last.map({ !$0.isBarrier || $0.count == 0 }) ?? true
    {
      // No generation is left, or only one that is not a barrier.
      generations.removeAll(keepingCapacity: true)
      passed = 0
    } else if passed > 64 && passed > generations.count / 2 {
      generations.removeFirst(passed)
      passed = 0
    }
  }

  private mutating func open(_ index: Int, _ lines: inout OperationLines) {
    while let next = generations[index].held.removeFirst() {
      next._withUnsafeGuaranteedRef { lines.append($0) }
    }
  }
}
