// OperationEras — the barrier generations of a queue.
//
// A barrier is an era of its own; so are all operations added between two barriers. Only
// operations of the first unfinished era may run. An operation of a later era that becomes
// ready waits here until its era begins. A barrier therefore needs no dependencies, and costs
// the same however many operations precede it.
//
// Without a barrier there is one era, and nothing is counted.
//
// Touching    everything: under the lock of the queue.

struct OperationEras {
  private struct Era {
    /// The number of its unfinished operations.
    var count: Int
    let isBarrier: Bool
    /// The operations that are ready while the era has not begun.
    var held = OperationLine()
  }

  /// The era whose operations may run.
  private(set) var current: UInt32 = 0
  /// The eras from the current one on; empty while there is only one.
  private var eras: [Era] = []
  /// The number of finished eras at the beginning of the array.
  private var passed = 0

  /// Whether there is a barrier.
  var areCounted: Bool { !eras.isEmpty }

  /// Counts a new operation and assigns its era.
  ///
  /// - Parameter others: the number of operations already in the queue.
  mutating func admit(_ operation: Operation, isBarrier: Bool, others: Int) {
    if eras.isEmpty {
      guard isBarrier else {
        operation.era = current
        return
      }
      // If there is none before it, skip this: an empty era would never end.
      if others > 0 { eras.append(Era(count: others, isBarrier: false)) }
    }
    if isBarrier || eras.isEmpty || eras[eras.count - 1].isBarrier {
      eras.append(Era(count: 0, isBarrier: isBarrier))
    }
    eras[eras.count - 1].count += 1
    operation.era = current &+ UInt32(eras.count - 1 - passed)
  }

  func isOpen(to operation: Operation) -> Bool { operation.era == current }

  mutating func hold(_ operation: Operation) {
    // SAFETY: the queue keeps the operations in its lines alive.
    eras[place(of: operation)].held.append(Unmanaged.passUnretained(operation))
  }

  mutating func letGo(_ operation: Operation) {
    // SAFETY: as above.
    eras[place(of: operation)].held.remove(Unmanaged.passUnretained(operation))
  }

  private func place(of operation: Operation) -> Int {
    passed + Int(operation.era &- current)
  }

  /// Removes a finished operation.
  ///
  /// - Parameter lines: receives the operations that waited here and may now run.
  mutating func leave(_ operation: Operation, opening lines: inout OperationLines) {
    eras[place(of: operation)].count -= 1
    while passed < eras.count, eras[passed].count == 0 {
      // Operations may still join the last era, unless it is a barrier.
      if passed + 1 == eras.count && !eras[passed].isBarrier { break }
      passed += 1
      current &+= 1
      if passed < eras.count { open(passed, &lines) }
    }
    if passed >= eras.count - 1, eras.last.map({ !$0.isBarrier || $0.count == 0 }) ?? true {
      // No era is left, or only one that is not a barrier.
      eras.removeAll(keepingCapacity: true)
      passed = 0
    } else if passed > 64 && passed > eras.count / 2 {
      eras.removeFirst(passed)
      passed = 0
    }
  }

  private mutating func open(_ place: Int, _ lines: inout OperationLines) {
    while let next = eras[place].held.removeFirst() {
      next._withUnsafeGuaranteedRef { lines.append($0) }
    }
  }
}
