// ThreadSpans — the spans of a thread, properly nested: none crosses the end of
// an outer one.

struct ThreadSpans {
  /// The end of a span that is still open at the trace's end.
  static let never = TraceModel.Time.max

  enum What {
    case item(Int)
    case interval(Int)
    case wait(Int)
    case parked
  }

  struct Span {
    let began: TraceModel.Time
    var ended: TraceModel.Time
    let what: What
    /// Of two spans with the same beginning and end, the one with the lower
    /// order is the outer one.
    fileprivate let order: Int
  }

  private let trace: TraceModel
  private var spans: [[Span]]
  /// The times at which each thread lost events.
  private var gaps: [[TraceModel.Time]]

  init(_ trace: TraceModel) {
    self.trace = trace
    spans = [[Span]](repeating: [], count: trace.threads.count)
    gaps = [[TraceModel.Time]](repeating: [], count: trace.threads.count)
    for gap in 0..<trace.gaps.count {
      gaps[Int(trace.gaps.thread[gap])].append(trace.gaps.at[gap])
    }
    for item in trace.itemsByStart() {
      add(trace.items.runner[item], trace.items.started[item], end(item), .item(item), 0)
    }
    for interval in 0..<trace.intervals.count
    where trace.intervals.flags[interval].contains(.isScoped) {
      add(
        trace.intervals.thread[interval], trace.intervals.began[interval],
        intervalEnd(interval), .interval(interval), 1)
    }
    for wait in 0..<trace.waits.count {
      let ended = trace.waits.ended[wait]
      add(
        trace.waits.thread[wait], trace.waits.began[wait],
        ended >= 0 ? ended : ThreadSpans.never, .wait(wait), 2)
    }
    for park in 0..<trace.parked.count {
      let ended = trace.parked.ended[park]
      add(
        trace.parked.thread[park], trace.parked.began[park],
        ended >= 0 ? ended : ThreadSpans.never, .parked, 3)
    }
  }

  private mutating func add(
    _ thread: TraceModel.Index, _ began: TraceModel.Time, _ ended: TraceModel.Time, _ what: What,
    _ order: Int
  ) {
    spans[Int(thread)].append(Span(began: began, ended: ended, what: what, order: order))
  }

  /// The end of an item that has started. An item whose end was lost ends at
  /// the loss.
  func end(_ item: Int) -> TraceModel.Time {
    let finished = trace.items.finished[item]
    if finished >= 0 { return finished }
    guard trace.items.flags[item].contains(.isTruncated) else { return ThreadSpans.never }
    return loss(after: trace.items.started[item], on: trace.items.runner[item])
  }

  /// The end of an interval. If its end was lost, a scoped interval ends at the loss, and any other
  /// interval where it began.
  func intervalEnd(_ interval: Int) -> TraceModel.Time {
    let ended = trace.intervals.ended[interval]
    if ended >= 0 { return ended }
    let flags = trace.intervals.flags[interval]
    guard flags.contains(.isTruncated) else { return ThreadSpans.never }
    let began = trace.intervals.began[interval]
    guard flags.contains(.isScoped) else { return began }
    return loss(after: began, on: trace.intervals.thread[interval])
  }

  private func loss(
    after time: TraceModel.Time, on thread: TraceModel.Index
  ) -> TraceModel.Time {
    gaps[Int(thread)].first { $0 >= time } ?? max(time, trace.meta.duration)
  }

  /// A thread's spans in the order of their beginnings. A span that would end
  /// after the span around it ends together with that span.
  func nested(_ thread: Int) -> [Span] {
    var sorted = spans[thread].enumerated().sorted { one, other in
      let (a, b) = (one.element, other.element)
      if a.began != b.began { return a.began < b.began }
      if a.ended != b.ended { return a.ended > b.ended }
      return (a.order, one.offset) < (b.order, other.offset)
    }.map(\.element)
    var ends: [TraceModel.Time] = []
    for index in sorted.indices {
      while let end = ends.last, end <= sorted[index].began { ends.removeLast() }
      if let end = ends.last { sorted[index].ended = min(sorted[index].ended, end) }
      ends.append(sorted[index].ended)
    }
    return sorted
  }
}
