// ThreadSpans — the spans of a thread, properly nested: none crosses the end of
// an outer one.

struct ThreadSpans {
  /// The end of a span that is still open at the story's end.
  static let never = TraceStory.Time.max

  enum What {
    case item(Int)
    case wait(Int)
    case parked
  }

  struct Span {
    let began: TraceStory.Time
    var ended: TraceStory.Time
    let what: What
    /// Of two spans with the same beginning and end, the one with the lower
    /// order is the outer one.
    fileprivate let order: Int
  }

  private let story: TraceStory
  private var spans: [[Span]]
  /// The times at which each thread lost events.
  private var gaps: [[TraceStory.Time]]

  init(_ story: TraceStory) {
    self.story = story
    spans = [[Span]](repeating: [], count: story.threads.count)
    gaps = [[TraceStory.Time]](repeating: [], count: story.threads.count)
    for gap in 0..<story.gaps.count {
      gaps[Int(story.gaps.thread[gap])].append(story.gaps.at[gap])
    }
    for item in story.itemsByStart() {
      add(story.items.runner[item], story.items.started[item], end(item), .item(item), 0)
    }
    for wait in 0..<story.waits.count {
      let ended = story.waits.ended[wait]
      add(
        story.waits.thread[wait], story.waits.began[wait],
        ended >= 0 ? ended : ThreadSpans.never, .wait(wait), 1)
    }
    for park in 0..<story.parked.count {
      let ended = story.parked.ended[park]
      add(
        story.parked.thread[park], story.parked.began[park],
        ended >= 0 ? ended : ThreadSpans.never, .parked, 2)
    }
  }

  private mutating func add(
    _ thread: TraceStory.Index, _ began: TraceStory.Time, _ ended: TraceStory.Time, _ what: What,
    _ order: Int
  ) {
    spans[Int(thread)].append(Span(began: began, ended: ended, what: what, order: order))
  }

  /// The end of an item that has started. An item whose end was lost ends at
  /// the loss.
  func end(_ item: Int) -> TraceStory.Time {
    let finished = story.items.finished[item]
    if finished >= 0 { return finished }
    guard story.items.flags[item].contains(.isCut) else { return ThreadSpans.never }
    let started = story.items.started[item]
    let gaps = gaps[Int(story.items.runner[item])]
    return gaps.first { $0 >= started } ?? max(started, story.meta.duration)
  }

  /// A thread's spans in the order of their beginnings. A span that would
  /// outlive the one around it ends with that one.
  func nested(_ thread: Int) -> [Span] {
    var sorted = spans[thread].enumerated().sorted { one, other in
      let (a, b) = (one.element, other.element)
      if a.began != b.began { return a.began < b.began }
      if a.ended != b.ended { return a.ended > b.ended }
      return (a.order, one.offset) < (b.order, other.offset)
    }.map(\.element)
    var ends: [TraceStory.Time] = []
    for place in sorted.indices {
      while let end = ends.last, end <= sorted[place].began { ends.removeLast() }
      if let end = ends.last { sorted[place].ended = min(sorted[place].ended, end) }
      ends.append(sorted[place].ended)
    }
    return sorted
  }
}
