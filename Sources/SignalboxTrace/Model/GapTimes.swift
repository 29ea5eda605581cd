// GapTimes — the spans of time in which some thread's events were lost.

/// A set of time spans that answers whether a given interval overlaps one.
struct GapTimes {
  /// Disjoint and sorted.
  private var spans: [ClosedRange<UInt64>] = []

  init(_ all: [ClosedRange<UInt64>]) {
    for span in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = spans.last, span.lowerBound <= last.upperBound {
        spans[spans.count - 1] = last.lowerBound...max(last.upperBound, span.upperBound)
      } else {
        spans.append(span)
      }
    }
  }

  /// Whether any event between these times may have been lost. A span ends at a
  /// known event and begins at one, or before all events; at these times
  /// themselves nothing is lost.
  func overlap(_ from: UInt64, _ to: UInt64) -> Bool {
    // Find the first span that ends after `from`.
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].upperBound <= from { low = middle + 1 } else { high = middle }
    }
    return low < spans.count && spans[low].lowerBound < to
  }
}
