// DarkTimes — when some thread's events were lost.

/// A set of spans of time, to be asked whether something fell into one.
struct DarkTimes {
  /// Apart from each other, in order.
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

  /// Whether anything between these times may have been lost. A span's ends are known events
  /// or before all of them, and nothing is lost at these.
  func touch(_ from: UInt64, _ to: UInt64) -> Bool {
    // The first span that goes on after `from`.
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].upperBound <= from { low = middle + 1 } else { high = middle }
    }
    return low < spans.count && spans[low].lowerBound < to
  }
}
