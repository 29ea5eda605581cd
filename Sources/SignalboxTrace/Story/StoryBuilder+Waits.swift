// StoryBuilder+Waits — which thread waited, for what, and which thread woke it.

import SignalboxDiagnostics
import SignalboxRuntime

extension StoryBuilder {
  mutating func waitBegan(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let isQueue = StoryBuilder.isOfQueue(event)
    var wait = StoryLane.Wait(
      began: time, id: event.object, isQueue: isQueue,
      object: isQueue || event.object == 0 ? TraceStory.none : names.object(event.object),
      queue: isQueue ? names.queue(event.object) : TraceStory.none,
      reason: reason(event.a), owner: names.thread(event.b), item: lane.item,
      rank: event.flags >> TraceWaitFlags.firstBitOfClass)
    if let owner = laneOf[event.b] {
      wait.otherRank = owner.rank
      wait.other = owner.item
    }
    lane.waits.append(wait)
  }

  mutating func waitEnded(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    let id = event.object
    let innermost = lane.waits.last?.id == id ? lane.waits.count - 1 : nil
    guard
      let place = innermost
        ?? lane.waits.suffix(StoryLane.deepest).lastIndex(where: { $0.id == id })
    else {
      endsLeftOut += 1
      return
    }
    var wait = lane.waits[place]
    lane.waits.removeSubrange(place...)
    let timedOut = TraceWaitFlags(rawValue: event.flags).contains(.timedOut)
    var waker = names.thread(event.b)
    if waker == TraceStory.none && !timedOut { waker = inferredWaker(of: wait, lane, time) }
    if wait.owner == TraceStory.none, let wake = wake(of: wait), wake.thread == waker {
      wait.otherRank = wake.rank
      wait.other = wake.item
    }
    lane.lastWait = Index(story.waits.thread.count)
    append(wait, lane, ended: at(time), waker: waker, timedOut: timedOut)
  }

  /// The last event since the wait began that may have ended it.
  private func wake(of wait: StoryLane.Wait) -> Wake? {
    let wakes = wait.isQueue ? wakeOfQueue : wakeOfObject
    let place = Int(wait.isQueue ? wait.queue : wait.object)
    guard place >= 0, place < wakes.count else { return nil }
    let wake = wakes[place]
    return wake.time >= wait.began ? wake : nil
  }

  private func inferredWaker(of wait: StoryLane.Wait, _ lane: StoryLane, _ time: UInt64) -> Index {
    guard let wake = wake(of: wait), wake.thread != lane.thread,
      !dark.touch(wait.began, time)
    else { return TraceStory.none }
    return wake.thread
  }

  mutating func append(
    _ wait: StoryLane.Wait, _ lane: StoryLane, ended: Time, waker: Index, timedOut: Bool
  ) {
    story.waits.thread.append(lane.thread)
    story.waits.began.append(at(wait.began))
    story.waits.ended.append(ended)
    story.waits.object.append(wait.object)
    story.waits.queue.append(wait.queue)
    story.waits.reason.append(wait.reason)
    story.waits.owner.append(wait.owner)
    story.waits.waker.append(waker)
    story.waits.item.append(wait.item)
    story.waits.timedOut.append(timedOut)
    story.waits.place.append(wait.place)
    story.waits.rank.append(wait.rank)
    story.waits.otherRank.append(wait.otherRank)
    story.waits.other.append(wait.other)
  }

  /// Whether the event's object is a queue. Queues and objects are numbered
  /// separately, so a queue and an object may have the same number.
  private static func isOfQueue(_ event: TraceEvent) -> Bool {
    TraceWaitFlags(rawValue: event.flags).contains(.isQueue)
  }

  mutating func wakes(_ lane: StoryLane, _ time: UInt64, _ event: TraceEvent) {
    if event.kind == .wake && StoryBuilder.isOfQueue(event) {
      noteWake(queue: names.queue(event.object), lane, time)
    } else if event.object != 0 {
      noteWake(object: names.object(event.object), lane, time)
    }
  }

  mutating func noteWake(object: Index, _ lane: StoryLane, _ time: UInt64) {
    while wakeOfObject.count <= Int(object) { wakeOfObject.append(Wake()) }
    wakeOfObject[Int(object)] = wake(lane, time)
  }

  mutating func noteWake(queue: Index, _ lane: StoryLane, _ time: UInt64) {
    while wakeOfQueue.count <= Int(queue) { wakeOfQueue.append(Wake()) }
    wakeOfQueue[Int(queue)] = wake(lane, time)
  }

  private func wake(_ lane: StoryLane, _ time: UInt64) -> Wake {
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

  mutating func unparked(_ lane: StoryLane, _ time: UInt64) {
    // A worker whose first event it is was parked when the recording began.
    guard let began = lane.parkedSince ?? (lane.isUnseen ? start : nil) else {
      endsLeftOut += 1
      return
    }
    lane.parkedSince = nil
    story.parked.append(lane.thread, at(began), at(time))
  }
}
