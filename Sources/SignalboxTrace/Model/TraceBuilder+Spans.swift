// TraceBuilder+Spans — timers, run-loop passes, drains, loops, groups and held
// locks.

extension TraceBuilder {
  mutating func timerFired(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let object = names.object(event.object, .timer)
    let armed = due.removeValue(forKey: object) ?? 0
    let late = min(event.detail, UInt64(Time.max))
    trace.timers.object.append(object)
    trace.timers.thread.append(lane.thread)
    trace.timers.fired.append(at(time))
    trace.timers.due.append(
      armed != 0 && armed <= time ? at(armed) : late <= time ? at(time - late) : -1)
    trace.timers.late.append(Time(late))
  }

  mutating func runLoopStep(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let object = names.object(event.object)
    trace.steps.thread.append(lane.thread)
    trace.steps.at.append(at(time))
    trace.steps.step.append(event.detail)
    trace.steps.object.append(object)
    switch event.detail {
    case LoopStepNumber.entry:
      lane.loops.append(ThreadProgress.Loop(id: event.object, object: object))
    case LoopStepNumber.beforeTimers:
      // The recording may have begun in the middle of a run.
      if lane.loops.last?.id != event.object {
        lane.loops.append(ThreadProgress.Loop(id: event.object, object: object))
      }
      endPass(lane, at(time))
      lane.loops[lane.loops.count - 1].passBegan = time
    case LoopStepNumber.exit...:
      guard lane.loops.last?.id == event.object else { return unmatchedEnds += 1 }
      endPass(lane, at(time))
      lane.loops.removeLast()
    default: break
    }
  }

  private mutating func endPass(_ lane: ThreadProgress, _ ended: Time) {
    guard let loop = lane.loops.last, let began = loop.passBegan else { return }
    trace.passes.append(lane.thread, loop.object, at(began), ended)
  }

  // MARK: Drains, loops and groups

  mutating func drainEnded(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let id = event.object
    guard
      let index = lane.drains.suffix(ThreadProgress.deepest).lastIndex(where: { $0.queue == id })
    else {
      unmatchedEnds += 1
      return
    }
    let drain = lane.drains[index]
    lane.drains.removeSubrange(index...)
    append(drain, lane, ended: at(time))
  }

  mutating func append(_ drain: ThreadProgress.Drain, _ lane: ThreadProgress, ended: Time) {
    trace.drains.thread.append(lane.thread)
    trace.drains.queue.append(names.queue(drain.queue))
    trace.drains.began.append(at(drain.began))
    trace.drains.ended.append(ended)
  }

  mutating func loopEnded(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    guard let call = lane.calls.popLast() else {
      unmatchedEnds += 1
      return
    }
    append(call, lane, ended: at(time))
  }

  mutating func append(_ call: ThreadProgress.Call, _ lane: ThreadProgress, ended: Time) {
    trace.loops.thread.append(lane.thread)
    trace.loops.iterations.append(call.iterations)
    trace.loops.began.append(at(call.began))
    trace.loops.ended.append(ended)
    trace.loops.item.append(call.item)
  }

  mutating func groupTurn(
    _ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent, isEntry: Bool
  ) {
    guard event.object != 0 else { return }
    trace.turns.object.append(names.object(event.object, .group))
    trace.turns.thread.append(lane.thread)
    trace.turns.at.append(at(time))
    trace.turns.isEntry.append(isEntry)
  }

  // MARK: Locks

  mutating func lockTaken(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    lane.holds.append(
      ThreadProgress.Hold(id: event.object, object: names.object(event.object), taken: time))
  }

  mutating func lockLeft(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    wakes(lane, time, event)
    let id = event.object
    guard
      let index = lane.holds.suffix(ThreadProgress.deepest).lastIndex(where: { $0.id == id })
    else {
      unmatchedEnds += 1
      return
    }
    let hold = lane.holds.remove(at: index)
    trace.holds.append(lane.thread, hold.object, at(hold.taken), at(time))
  }
}
