// Distribution — the statistics of many durations.

/// The count, total and percentiles of a set of durations.
package struct Distribution: Sendable, Equatable {
  package private(set) var count = 0
  /// Half of the durations are no longer than this.
  package private(set) var median: TraceModel.Time = 0
  /// 99 of 100 durations are no longer than this.
  package private(set) var p99: TraceModel.Time = 0
  package private(set) var longest: TraceModel.Time = 0
  package private(set) var total: TraceModel.Time = 0

  /// Computes the percentiles by the nearest-rank method: each result is one of
  /// the durations. The page's `statistics.js` does the same.
  package init(_ spans: [TraceModel.Time]) {
    guard !spans.isEmpty else { return }
    let order = spans.inOrder()
    func rank(_ hundredths: Int) -> TraceModel.Time {
      order[max(1, (order.count * hundredths + 99) / 100) - 1]
    }
    count = order.count
    median = rank(50)
    p99 = rank(99)
    longest = order[order.count - 1]
    for span in order { total = total.addedOrHalf(span) }
  }
}
