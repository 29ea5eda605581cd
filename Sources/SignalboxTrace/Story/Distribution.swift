// Distribution — many spans of time, in a few numbers.

/// Spans of time: how many, and how long those at certain places are when they stand in order.
package struct Distribution: Sendable, Equatable {
  package private(set) var count = 0
  /// Half of them are no longer.
  package private(set) var median: TraceStory.Time = 0
  /// 99 of 100 of them are no longer.
  package private(set) var p99: TraceStory.Time = 0
  package private(set) var longest: TraceStory.Time = 0
  package private(set) var total: TraceStory.Time = 0

  /// By the nearest rank: each of the numbers is one of the spans. The page's `statistics.js` has it
  /// so too.
  package init(_ spans: [TraceStory.Time]) {
    guard !spans.isEmpty else { return }
    let order = spans.sorted()
    func rank(_ hundredths: Int) -> TraceStory.Time {
      order[max(1, (order.count * hundredths + 99) / 100) - 1]
    }
    count = order.count
    median = rank(50)
    p99 = rank(99)
    longest = order[order.count - 1]
    total = order.reduce(0) { $0.addedOrHalf($1) }
  }
}
