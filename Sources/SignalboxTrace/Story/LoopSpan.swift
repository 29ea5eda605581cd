// LoopSpan — how long a run loop took from telling its observers to the work.

/// In one pass of a run loop: the step that observers were told of, and the first work after.
package struct LoopSpan: Sendable, Equatable {
  package var thread: TraceStory.Index
  package var object: TraceStory.Index
  /// The number of the observers' step, and when it was.
  package var step: UInt64
  package var at: TraceStory.Time
  /// The number of the work's step, and when it was.
  package var work: UInt64
  package var workAt: TraceStory.Time
}

extension TraceStory {
  /// For each step that observers were told of and that work followed, before the next such
  /// step: both.
  ///
  /// O(steps).
  package func loopSpans() -> [LoopSpan] {
    var told = [Int?](repeating: nil, count: threads.count)
    var spans: [LoopSpan] = []
    for place in 0..<steps.count {
      let thread = Int(steps.thread[place])
      if StoryLoopStep.isObserved(steps.step[place]) {
        told[thread] = place
      } else if StoryLoopStep.isWork(steps.step[place]), let step = told[thread],
        steps.object[step] == steps.object[place]
      {
        told[thread] = nil
        spans.append(
          LoopSpan(
            thread: Index(thread), object: steps.object[place], step: steps.step[step],
            at: steps.at[step], work: steps.step[place], workAt: steps.at[place]))
      }
    }
    return spans
  }
}
