// StoryBuilder+Operations — turns the events of an operation into a row.

import SignalboxRuntime

extension StoryBuilder {
  mutating func operation(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let row = row(ofOperation: names.object(event.object))
    switch OperationStep(rawValue: event.a) {
    case .enqueued: story.operations.queued[row] = at(time)
    // An operation that became unready again is reported ready a second time.
    case .ready: story.operations.ready[row] = at(time)
    case .started:
      story.operations.started[row] = at(time)
      story.operations.thread[row] = lane.thread
      story.operations.item[row] = lane.item
    case .finished:
      story.operations.finished[row] = at(time)
      wakes(lane, time, event)
    case .cancelled:
      story.operations.cancelled[row] = at(time)
      wakes(lane, time, event)
    // A step that a later version of the recorder writes.
    case nil: break
    }
  }

  private mutating func row(ofOperation object: Index) -> Int {
    if let row = operations[object] { return row }
    let row = story.operations.count
    operations[object] = row
    story.operations.append(object)
    return row
  }
}
