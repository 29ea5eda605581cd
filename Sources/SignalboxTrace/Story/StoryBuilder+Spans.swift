// StoryBuilder+Spans — timers, run-loop passes, drains, loops, groups and held
// locks.

extension StoryBuilder {
  mutating func timerFired(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let object = names.object(event.object, .timer)
    let armed = due.removeValue(forKey: object) ?? 0
    let late = min(event.detail, UInt64(Time.max))
    story.timers.object.append(object)
    story.timers.thread.append(lane.thread)
    story.timers.fired.append(at(time))
    story.timers.due.append(
      armed != 0 && armed <= time ? at(armed) : late <= time ? at(time - late) : -1)
    story.timers.late.append(Time(late))
  }

  mutating func runLoopStep(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let object = names.object(event.object)
    story.steps.thread.append(lane.thread)
    story.steps.at.append(at(time))
    story.steps.step.append(event.detail)
    story.steps.object.append(object)
    switch event.detail {
    case StoryLoopStep.entry:
      lane.loops.append(StoryLane.Loop(id: event.object, object: object))
    case StoryLoopStep.beforeTimers:
      // The recording may have begun in the middle of a run.
      if lane.loops.last?.id != event.object {
        lane.loops.append(StoryLane.Loop(id: event.object, object: object))
      }
      endPass(lane, at(time))
      lane.loops[lane.loops.count - 1].passBegan = time
    case StoryLoopStep.exit...:
      guard lane.loops.last?.id == event.object else { return endsLeftOut += 1 }
      endPass(lane, at(time))
      lane.loops.removeLast()
    default: break
    }
  }

  private mutating func endPass(_ lane: StoryLane, _ ended: Time) {
    guard let loop = lane.loops.last, let began = loop.passBegan else { return }
    story.passes.append(lane.thread, loop.object, at(began), ended)
  }

  // MARK: Drains, loops and groups

  mutating func drainEnded(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let id = event.object
    guard
      let place = lane.drains.suffix(StoryLane.deepest).lastIndex(where: { $0.queue == id })
    else {
      endsLeftOut += 1
      return
    }
    let drain = lane.drains[place]
    lane.drains.removeSubrange(place...)
    append(drain, lane, ended: at(time))
  }

  mutating func append(_ drain: StoryLane.Drain, _ lane: StoryLane, ended: Time) {
    story.drains.thread.append(lane.thread)
    story.drains.queue.append(names.queue(drain.queue))
    story.drains.began.append(at(drain.began))
    story.drains.ended.append(ended)
  }

  mutating func loopEnded(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    guard let call = lane.calls.popLast() else {
      endsLeftOut += 1
      return
    }
    append(call, lane, ended: at(time))
  }

  mutating func append(_ call: StoryLane.Call, _ lane: StoryLane, ended: Time) {
    story.loops.thread.append(lane.thread)
    story.loops.iterations.append(call.iterations)
    story.loops.began.append(at(call.began))
    story.loops.ended.append(ended)
    story.loops.item.append(call.item)
  }

  mutating func groupTurn(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent, isEntry: Bool) {
    guard event.object != 0 else { return }
    story.turns.object.append(names.object(event.object, .group))
    story.turns.thread.append(lane.thread)
    story.turns.at.append(at(time))
    story.turns.isEntry.append(isEntry)
  }

  // MARK: Locks

  mutating func lockTaken(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    lane.holds.append(
      StoryLane.Hold(id: event.object, object: names.object(event.object), taken: time))
  }

  mutating func lockLeft(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    wakes(lane, time, event)
    let id = event.object
    guard
      let place = lane.holds.suffix(StoryLane.deepest).lastIndex(where: { $0.id == id })
    else {
      endsLeftOut += 1
      return
    }
    let hold = lane.holds.remove(at: place)
    story.holds.append(lane.thread, hold.object, at(hold.taken), at(time))
  }
}
