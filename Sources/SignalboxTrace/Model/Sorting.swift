// Sorting — sorts times in C.
//
// Test suites run without optimization, and then the generic sort of the standard
// library takes about a second for the times of a full recording. Most columns
// are sorted already, which the C function finds out in one pass.

import CSignalbox

extension [TraceModel.Time] {
  /// The times in ascending order.
  func inOrder() -> [TraceModel.Time] {
    var times = self
    times.withUnsafeMutableBufferPointer { times in
      if let base = times.baseAddress { csb_sort(base, times.count) }
    }
    return times
  }

  /// The indices of the times in ascending order. Equal times keep their order.
  func indicesInOrder() -> [Int] {
    if isEmpty { return [] }
    let sorted = [Int](unsafeUninitializedCapacity: count) { sorted, count in
      let isDone = withUnsafeBufferPointer { times in
        csb_sort_indices(times.baseAddress!, times.count, sorted.baseAddress!) == 0
      }
      count = isDone ? self.count : 0
    }
    // C had no memory for its copy.
    return sorted.isEmpty ? indices.sorted { (self[$0], $0) < (self[$1], $1) } : sorted
  }
}
