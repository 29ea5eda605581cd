// TraceBuilder+Operations — turns the events of an operation into a row.

import SignalboxRuntime

extension TraceBuilder {
  mutating func operation(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let row = row(ofOperation: names.object(event.object))
    switch OperationStep(rawValue: event.a) {
    case .enqueued: trace.operations.queued[row] = at(time)
    // An operation that became unready again is reported ready a second time.
    case .ready: trace.operations.ready[row] = at(time)
    case .started:
      trace.operations.started[row] = at(time)
      trace.operations.thread[row] = lane.thread
      trace.operations.item[row] = lane.item
    case .finished:
      trace.operations.finished[row] = at(time)
      wakes(lane, time, event)
    case .cancelled:
      trace.operations.cancelled[row] = at(time)
      wakes(lane, time, event)
    // A step that a later version of the recorder writes.
    case nil: break
    }
  }

  private mutating func row(ofOperation object: Index) -> Int {
    if let row = operations[object] { return row }
    let row = trace.operations.count
    operations[object] = row
    trace.operations.append(object)
    return row
  }
}
