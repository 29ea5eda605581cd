// TraceBuilder+Waits — which thread waited, for what, and which thread woke it.

import SignalboxDiagnostics
import SignalboxRuntime

extension TraceBuilder {
  mutating func waitBegan(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let isQueue = TraceBuilder.isOfQueue(event)
    var wait = ThreadProgress.Wait(
      began: time, id: event.object, isQueue: isQueue,
      object: isQueue || event.object == 0 ? TraceModel.none : names.object(event.object),
      queue: isQueue ? names.queue(event.object) : TraceModel.none,
      reason: reason(event.a), owner: names.thread(event.b), item: lane.item,
      rank: event.flags >> TraceWaitFlags.firstBitOfClass)
    if let owner = laneOf[event.b] {
      wait.otherRank = owner.rank
      wait.other = owner.item
    }
    lane.waits.append(wait)
  }

  mutating func waitEnded(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let id = event.object
    let innermost = lane.waits.last?.id == id ? lane.waits.count - 1 : nil
    guard
      let index = innermost
        ?? lane.waits.suffix(ThreadProgress.deepest).lastIndex(where: { $0.id == id })
    else {
      unmatchedEnds += 1
      return
    }
    var wait = lane.waits[index]
    lane.waits.removeSubrange(index...)
    let timedOut = TraceWaitFlags(rawValue: event.flags).contains(.timedOut)
    var waker = names.thread(event.b)
    if waker == TraceModel.none && !timedOut { waker = inferredWaker(of: wait, lane, time) }
    if wait.owner == TraceModel.none, let wake = wake(of: wait), wake.thread == waker {
      wait.otherRank = wake.rank
      wait.other = wake.item
    }
    lane.lastWait = Index(trace.waits.thread.count)
    append(wait, lane, ended: at(time), waker: waker, timedOut: timedOut)
  }

  /// The last event since the wait began that may have ended it.
  private func wake(of wait: ThreadProgress.Wait) -> Wake? {
    let wakes = wait.isQueue ? wakeOfQueue : wakeOfObject
    let index = Int(wait.isQueue ? wait.queue : wait.object)
    guard index >= 0, index < wakes.count else { return nil }
    let wake = wakes[index]
    return wake.time >= wait.began ? wake : nil
  }

  private func inferredWaker(of wait: ThreadProgress.Wait, _ lane: ThreadProgress, _ time: UInt64)
    -> Index
  {
    guard let wake = wake(of: wait), wake.thread != lane.thread,
      !gapTimes.overlap(wait.began, time)
    else { return TraceModel.none }
    return wake.thread
  }

  mutating func append(
    _ wait: ThreadProgress.Wait, _ lane: ThreadProgress, ended: Time, waker: Index, timedOut: Bool
  ) {
    trace.waits.thread.append(lane.thread)
    trace.waits.began.append(at(wait.began))
    trace.waits.ended.append(ended)
    trace.waits.object.append(wait.object)
    trace.waits.queue.append(wait.queue)
    trace.waits.reason.append(wait.reason)
    trace.waits.owner.append(wait.owner)
    trace.waits.waker.append(waker)
    trace.waits.item.append(wait.item)
    trace.waits.timedOut.append(timedOut)
    trace.waits.place.append(wait.place)
    trace.waits.rank.append(wait.rank)
    trace.waits.otherRank.append(wait.otherRank)
    trace.waits.other.append(wait.other)
  }

  /// Whether the event's object is a queue. Queues and objects are numbered
  /// separately, so a queue and an object may have the same number.
  private static func isOfQueue(_ event: TraceEvent) -> Bool {
    TraceWaitFlags(rawValue: event.flags).contains(.isQueue)
  }

  mutating func wakes(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    if event.kind == .wake && TraceBuilder.isOfQueue(event) {
      noteWake(queue: names.queue(event.object), lane, time)
    } else if event.object != 0 {
      noteWake(object: names.object(event.object), lane, time)
    }
  }

  mutating func noteWake(object: Index, _ lane: ThreadProgress, _ time: UInt64) {
    while wakeOfObject.count <= Int(object) { wakeOfObject.append(Wake()) }
    wakeOfObject[Int(object)] = wake(lane, time)
  }

  mutating func noteWake(queue: Index, _ lane: ThreadProgress, _ time: UInt64) {
    while wakeOfQueue.count <= Int(queue) { wakeOfQueue.append(Wake()) }
    wakeOfQueue[Int(queue)] = wake(lane, time)
  }

  private func wake(_ lane: ThreadProgress, _ time: UInt64) -> Wake {
    Wake(
      thread: lane.thread, time: time, item: lane.item, rank: lane.rank)
  }

  private mutating func reason(_ number: UInt16) -> Index {
    if let index = reasons[number] { return index }
    let known = UInt8(exactly: number).flatMap { WaitReason(rawValue: $0) }
    let index = names.string(known?.words ?? "for (reason \(number))")
    reasons[number] = index
    return index
  }

  mutating func unparked(_ lane: ThreadProgress, _ time: UInt64) {
    // If this is the worker's first event, the worker was parked when the
    // recording began.
    guard let began = lane.parkedSince ?? (lane.isUnseen ? start : nil) else {
      unmatchedEnds += 1
      return
    }
    lane.parkedSince = nil
    trace.parked.append(lane.thread, at(began), at(time))
  }
}
