// LoopSpan — the time from a run loop's call of its observers to its next work.

/// A step of a run loop that calls observers, and the first work after it in
/// the same pass.
package struct LoopSpan: Sendable, Equatable {
  package var thread: TraceModel.Index
  package var object: TraceModel.Index
  /// The number and the time of the step that calls observers.
  package var step: UInt64
  package var at: TraceModel.Time
  /// The number and the time of the step that does work.
  package var work: UInt64
  package var workAt: TraceModel.Time
}

extension TraceModel {
  /// Each step that called observers, paired with the first work after it, if
  /// there was work before the next such step.
  ///
  /// O(steps).
  package func loopSpans() -> [LoopSpan] {
    var innermost = [Int?](repeating: nil, count: threads.count)
    var spans: [LoopSpan] = []
    for index in 0..<steps.count {
      let thread = Int(steps.thread[index])
      if LoopStepNumber.isObserved(steps.step[index]) {
        innermost[thread] = index
      } else if LoopStepNumber.isWork(steps.step[index]), let step = innermost[thread],
        steps.object[step] == steps.object[index]
      {
        innermost[thread] = nil
        spans.append(
          LoopSpan(
            thread: Index(thread), object: steps.object[index], step: steps.step[step],
            at: steps.at[step], work: steps.step[index], workAt: steps.at[index]))
      }
    }
    return spans
  }
}
