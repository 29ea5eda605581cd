// StoryBuilder+Items — turns submissions, starts and ends into items.

import SignalboxDiagnostics

extension StoryBuilder {
  mutating func itemSubmitted(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    // An invitation asks the target to drain a queue. It is not work, so the
    // story omits it.
    var index = TraceStory.none
    if !TraceItemFlags(rawValue: event.flags).contains(.invitation) {
      index = Index(story.items.queue.count)
      story.items.append(
        queue: names.queue(event.object), submitted: at(time), submitter: lane.thread,
        within: lane.item, flags: TraceStory.ItemFlags(recorded: event.flags), qos: event.a)
    }
    lane.lastSubmitted = index
    let key = Key(queue: event.object, address: event.detail)
    let new = Pending(index: index, submitted: time)
    // Another item has this address now, so the earlier one has started and its
    // start was lost.
    if let old = pending.updateValue(new, forKey: key) { cut(old.index) }
  }

  mutating func itemStarted(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let key = Key(queue: event.object, address: event.detail)
    let index: Index
    if let submission = pending.removeValue(forKey: key) {
      index = submission.index
      if index >= 0 && dark.touch(submission.submitted, time) {
        story.items.flags[Int(index)].insert(.isLikely)
      }
    } else if TraceItemFlags(rawValue: event.flags).contains(.invitation) {
      index = TraceStory.none
    } else {
      index = Index(story.items.queue.count)
      story.items.append(
        queue: names.queue(event.object), flags: TraceStory.ItemFlags(recorded: event.flags),
        qos: event.a)
    }
    if index >= 0 {
      story.items.started[Int(index)] = at(time)
      story.items.runner[Int(index)] = lane.thread
    }
    lane.begin(
      index, queue: event.object, address: event.detail, UInt8(truncatingIfNeeded: event.a))
  }

  mutating func itemFinished(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    guard let index = end(lane, queue: event.object, address: event.detail) else { return }
    story.items.finished[index] = at(time)
    story.items.switches[index] = event.a
    story.items.preempted[index] = event.b
    noteWake(queue: story.items.queue[index], lane, time)
  }

  /// Marks an item that has continued after its last known event.
  mutating func cut(_ index: Index) {
    if index >= 0 { story.items.flags[Int(index)].insert(.isCut) }
  }

  mutating func syncEntered(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let index = Index(story.items.queue.count)
    let thread = lane.thread
    let flags = TraceStory.ItemFlags(
      rawValue: TraceStory.ItemFlags(recorded: event.flags).rawValue
        | TraceStory.ItemFlags.sync.rawValue)
    let isKnown = event.detail != 0 && event.detail <= time
    story.items.append(
      queue: names.queue(event.object), submitted: isKnown ? at(event.detail) : TraceStory.unknown,
      submitter: thread, within: lane.item, flags: flags, qos: event.a)
    story.items.started[Int(index)] = at(time)
    story.items.runner[Int(index)] = thread
    lane.begin(index, queue: event.object, address: 0, lane.rank)
  }

  mutating func syncLeft(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    guard let index = end(lane, queue: event.object, address: 0) else { return }
    story.items.finished[index] = at(time)
    noteWake(queue: story.items.queue[index], lane, time)
  }

  /// Pops the item that ends here and returns it, if the story contains it.
  /// Items that began within it have also ended, but their ends were lost.
  private mutating func end(_ lane: StoryLane, queue: UInt64, address: UInt64) -> Int? {
    // Usually the innermost item ends.
    if let last = lane.items.last, last.queue == queue, last.address == address {
      lane.items.removeLast()
      return last.index >= 0 ? Int(last.index) : nil
    }
    guard
      let place = lane.items.suffix(StoryLane.deepest).lastIndex(where: {
        $0.queue == queue && $0.address == address
      })
    else {
      endsLeftOut += 1
      return nil
    }
    for inner in lane.items[(place + 1)...] { cut(inner.index) }
    let index = lane.items[place].index
    lane.items.removeSubrange(place...)
    return index >= 0 ? Int(index) : nil
  }
}
