// TraceBuilder+Items — turns submissions, starts and ends into items.

import SignalboxDiagnostics

extension TraceBuilder {
  mutating func itemSubmitted(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    // A drain task asks the target to drain a queue. It is not work, so the
    // trace omits it.
    var index = TraceModel.none
    if !TraceItemFlags(rawValue: event.flags).contains(.drainTask) {
      index = Index(trace.items.queue.count)
      trace.items.append(
        queue: names.queue(event.object), submitted: at(time), submitter: lane.thread,
        within: lane.item, flags: TraceModel.ItemFlags(recorded: event.flags), qos: event.a,
        task: task(event))
    }
    lane.lastSubmitted = index
    let key = Key(queue: event.object, address: event.detail)
    let new = Pending(index: index, submitted: time)
    // Another item has this address now, so the earlier one has started and its
    // start was lost.
    if let old = pending.updateValue(new, forKey: key) { truncate(old.index) }
  }

  /// The task whose job is submitted; `none` if the item is not a job of a task.
  private mutating func task(_ event: TraceEvent) -> Index {
    let number = event.b
    guard number != 0, TraceItemFlags(rawValue: event.flags).contains(.job) else {
      return TraceModel.none
    }
    if let index = tasks[number] { return index }
    let index = Index(trace.tasks.count)
    trace.tasks.number.append(number)
    trace.tasks.name.append(TraceModel.none)
    tasks[number] = index
    return index
  }

  /// Names the task of the job that the thread has just submitted.
  mutating func nameTask(_ lane: ThreadProgress, _ object: UInt64) {
    guard lane.lastSubmitted >= 0 else { return }
    let task = trace.items.task[Int(lane.lastSubmitted)]
    guard task >= 0 else { return }
    let name = names.objects[Int(names.object(object, .task))].name
    if !names.strings.strings[Int(name)].isEmpty { trace.tasks.name[Int(task)] = name }
  }

  mutating func itemStarted(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let key = Key(queue: event.object, address: event.detail)
    let index: Index
    if let submission = pending.removeValue(forKey: key) {
      index = submission.index
      if index >= 0 && gapTimes.overlap(submission.submitted, time) {
        trace.items.flags[Int(index)].insert(.isLikely)
      }
    } else if TraceItemFlags(rawValue: event.flags).contains(.drainTask) {
      index = TraceModel.none
    } else {
      index = Index(trace.items.queue.count)
      trace.items.append(
        queue: names.queue(event.object), flags: TraceModel.ItemFlags(recorded: event.flags),
        qos: event.a)
    }
    if index >= 0 {
      trace.items.started[Int(index)] = at(time)
      trace.items.runner[Int(index)] = lane.thread
    }
    lane.begin(
      index, queue: event.object, address: event.detail, UInt8(truncatingIfNeeded: event.a))
  }

  mutating func itemFinished(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    guard let index = end(lane, queue: event.object, address: event.detail) else { return }
    trace.items.finished[index] = at(time)
    trace.items.switches[index] = event.a
    trace.items.preempted[index] = event.b
    noteWake(queue: trace.items.queue[index], lane, time)
  }

  /// Marks an item that has continued after its last known event.
  mutating func truncate(_ index: Index) {
    if index >= 0 { trace.items.flags[Int(index)].insert(.isTruncated) }
  }

  mutating func syncEntered(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let index = Index(trace.items.queue.count)
    let thread = lane.thread
    let flags = TraceModel.ItemFlags(
      rawValue: TraceModel.ItemFlags(recorded: event.flags).rawValue
        | TraceModel.ItemFlags.sync.rawValue)
    let isKnown = event.detail != 0 && event.detail <= time
    trace.items.append(
      queue: names.queue(event.object), submitted: isKnown ? at(event.detail) : TraceModel.unknown,
      submitter: thread, within: lane.item, flags: flags, qos: event.a)
    trace.items.started[Int(index)] = at(time)
    trace.items.runner[Int(index)] = thread
    lane.begin(index, queue: event.object, address: 0, lane.rank)
  }

  mutating func syncLeft(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    guard let index = end(lane, queue: event.object, address: 0) else { return }
    trace.items.finished[index] = at(time)
    noteWake(queue: trace.items.queue[index], lane, time)
  }

  /// Pops the item that ends here and returns it, if the trace contains it.
  /// Items that began within it have also ended, but their ends were lost.
  private mutating func end(_ lane: ThreadProgress, queue: UInt64, address: UInt64) -> Int? {
    // Usually the innermost item ends.
    if let last = lane.items.last, last.queue == queue, last.address == address {
      lane.items.removeLast()
      return last.index >= 0 ? Int(last.index) : nil
    }
    guard
      let position = lane.items.suffix(ThreadProgress.deepest).lastIndex(where: {
        $0.queue == queue && $0.address == address
      })
    else {
      unmatchedEnds += 1
      return nil
    }
    for inner in lane.items[(position + 1)...] { truncate(inner.index) }
    let index = lane.items[position].index
    lane.items.removeSubrange(position...)
    return index >= 0 ? Int(index) : nil
  }
}
