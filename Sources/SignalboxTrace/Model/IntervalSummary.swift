// IntervalSummary — how long the program's intervals of one name lasted.

package struct IntervalSummary: Sendable, Equatable {
  package var name: TraceModel.Index
  package var times: Distribution
}

extension TraceModel {
  /// The intervals of each name, the name with the most time first. An interval
  /// that has not ended counts until the trace's end; an interval whose end was
  /// lost does not count.
  ///
  /// O(intervals · log intervals).
  package func intervalRows() -> [IntervalSummary] {
    var times: [Index: [Time]] = [:]
    for interval in 0..<intervals.count
    where !intervals.flags[interval].contains(.isTruncated) {
      times[intervals.name[interval], default: []].append(
        length(intervals.began[interval], intervals.ended[interval]))
    }
    return times.map { IntervalSummary(name: $0, times: Distribution($1)) }.sorted {
      $0.times.total != $1.times.total ? $0.times.total > $1.times.total : $0.name < $1.name
    }
  }
}
