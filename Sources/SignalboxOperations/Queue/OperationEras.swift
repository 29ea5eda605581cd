// OperationEras — what stands between a queue's barriers.
//
// A barrier is an era of its own; so is what was added between two of them. Only the
// operations of the first era that is not over may run. An operation of a later one that
// becomes ready waits here until its era begins. So a barrier depends on nobody and costs
// the same however many operations stand before it.
//
// Where there is no barrier, there is one era, and nothing is counted.
//
// Touching    everything: under the lock of the queue.

struct OperationEras {
  private struct Era {
    /// How many of its operations are not finished.
    var count: Int
    let isBarrier: Bool
    /// Those that are ready, while it has not begun.
    var held = OperationLine()
  }

  /// The era whose operations may run.
  private(set) var current: UInt32 = 0
  /// From the current one on; empty while there is one only.
  private var eras: [Era] = []
  /// How many at the beginning of the array are over.
  private var passed = 0

  /// Whether there is a barrier.
  var areCounted: Bool { !eras.isEmpty }

  /// Counts a new operation, and gives it its era.
  ///
  /// - Parameter others: how many are in the queue already.
  mutating func admit(_ operation: Operation, isBarrier: Bool, others: Int) {
    if eras.isEmpty {
      guard isBarrier else {
        operation.era = current
        return
      }
      // None before it: an era of nobody would never end.
      if others > 0 { eras.append(Era(count: others, isBarrier: false)) }
    }
    if isBarrier || eras.isEmpty || eras[eras.count - 1].isBarrier {
      eras.append(Era(count: 0, isBarrier: isBarrier))
    }
    eras[eras.count - 1].count += 1
    operation.era = current &+ UInt32(eras.count - 1 - passed)
  }

  /// Whether its era has come.
  func isOpen(to operation: Operation) -> Bool { operation.era == current }

  mutating func hold(_ operation: Operation) { eras[place(of: operation)].held.append(operation) }

  mutating func letGo(_ operation: Operation) { eras[place(of: operation)].held.remove(operation) }

  private func place(of operation: Operation) -> Int {
    passed + Int(operation.era &- current)
  }

  /// An operation is over.
  ///
  /// - Parameter lines: where those go that waited here and may run now.
  mutating func leave(_ operation: Operation, opening lines: inout OperationLines) {
    eras[place(of: operation)].count -= 1
    while passed < eras.count, eras[passed].count == 0 {
      // Operations may still be added to the last one, unless it is a barrier.
      if passed + 1 == eras.count && !eras[passed].isBarrier { break }
      passed += 1
      current &+= 1
      if passed < eras.count { open(passed, &lines) }
    }
    if passed >= eras.count - 1, eras.last.map({ !$0.isBarrier || $0.count == 0 }) ?? true {
      // One is left that is no barrier, or none.
      eras.removeAll(keepingCapacity: true)
      passed = 0
    } else if passed > 64 && passed > eras.count / 2 {
      eras.removeFirst(passed)
      passed = 0
    }
  }

  private mutating func open(_ place: Int, _ lines: inout OperationLines) {
    // SAFETY: whoever is in a queue's line is kept by the queue.
    while let next = eras[place].held.first?.takeUnretainedValue() {
      eras[place].held.remove(next)
      lines.append(next)
    }
  }
}
