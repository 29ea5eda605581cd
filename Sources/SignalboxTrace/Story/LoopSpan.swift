// LoopSpan — the time from a run loop's call of its observers to its next work.

/// A step of a run loop that calls observers, and the first work after it in
/// the same pass.
package struct LoopSpan: Sendable, Equatable {
  package var thread: TraceStory.Index
  package var object: TraceStory.Index
  /// The number and the time of the step that calls observers.
  package var step: UInt64
  package var at: TraceStory.Time
  /// The number and the time of the step that does work.
  package var work: UInt64
  package var workAt: TraceStory.Time
}

extension TraceStory {
  /// Each step that called observers, paired with the first work after it, if
  /// there was work before the next such step.
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
