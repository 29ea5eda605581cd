// TraceModel+Columns — appends and sorts the rows of a table in all of its
// columns.

extension TraceModel.Items {
  mutating func reserve(_ count: Int) {
    queue.reserveCapacity(count)
    submitted.reserveCapacity(count)
    started.reserveCapacity(count)
    finished.reserveCapacity(count)
    submitter.reserveCapacity(count)
    runner.reserveCapacity(count)
    within.reserveCapacity(count)
    flags.reserveCapacity(count)
    qos.reserveCapacity(count)
    switches.reserveCapacity(count)
    preempted.reserveCapacity(count)
    place.reserveCapacity(count)
    task.reserveCapacity(count)
  }

  mutating func append(
    queue: TraceModel.Index, submitted: TraceModel.Time = TraceModel.unknown,
    submitter: TraceModel.Index = TraceModel.none, within: TraceModel.Index = TraceModel.none,
    flags: TraceModel.ItemFlags, qos: UInt16, task: TraceModel.Index = TraceModel.none
  ) {
    self.queue.append(queue)
    self.submitted.append(submitted)
    started.append(TraceModel.unknown)
    finished.append(TraceModel.unknown)
    self.submitter.append(submitter)
    runner.append(TraceModel.none)
    self.within.append(within)
    self.flags.append(flags)
    self.qos.append(qos)
    switches.append(0)
    preempted.append(0)
    place.append(TraceModel.none)
    self.task.append(task)
  }
}

extension TraceModel.Spans {
  mutating func append(
    _ thread: TraceModel.Index, _ began: TraceModel.Time, _ ended: TraceModel.Time
  ) {
    self.thread.append(thread)
    self.began.append(began)
    self.ended.append(ended)
  }
}

extension TraceModel.ObjectSpans {
  mutating func append(
    _ thread: TraceModel.Index, _ object: TraceModel.Index, _ began: TraceModel.Time,
    _ ended: TraceModel.Time
  ) {
    self.thread.append(thread)
    self.object.append(object)
    self.began.append(began)
    self.ended.append(ended)
  }
}

extension TraceModel.Operations {
  mutating func append(_ object: TraceModel.Index) {
    self.object.append(object)
    queued.append(TraceModel.unknown)
    ready.append(TraceModel.unknown)
    started.append(TraceModel.unknown)
    finished.append(TraceModel.unknown)
    cancelled.append(TraceModel.unknown)
    thread.append(TraceModel.none)
    item.append(TraceModel.none)
  }
}

extension TraceModel {
  /// Sorts spans by their beginnings. The builder appends them at their ends.
  mutating func order() {
    let wait = waits.began.indicesInOrder()
    waits = Waits(
      thread: waits.thread.taken(wait), began: waits.began.taken(wait),
      ended: waits.ended.taken(wait), object: waits.object.taken(wait),
      queue: waits.queue.taken(wait), reason: waits.reason.taken(wait),
      owner: waits.owner.taken(wait), waker: waits.waker.taken(wait),
      item: waits.item.taken(wait), timedOut: waits.timedOut.taken(wait),
      place: waits.place.taken(wait), rank: waits.rank.taken(wait),
      otherRank: waits.otherRank.taken(wait), other: waits.other.taken(wait))
    let park = parked.began.indicesInOrder()
    parked = Spans(
      thread: parked.thread.taken(park), began: parked.began.taken(park),
      ended: parked.ended.taken(park))
    passes = ordered(passes)
    holds = ordered(holds)
    let drain = drains.began.indicesInOrder()
    drains = Drains(
      thread: drains.thread.taken(drain), queue: drains.queue.taken(drain),
      began: drains.began.taken(drain), ended: drains.ended.taken(drain))
    let loop = loops.began.indicesInOrder()
    loops = Loops(
      thread: loops.thread.taken(loop), iterations: loops.iterations.taken(loop),
      began: loops.began.taken(loop), ended: loops.ended.taken(loop), item: loops.item.taken(loop))
  }

  private func ordered(_ spans: ObjectSpans) -> ObjectSpans {
    let order = spans.began.indicesInOrder()
    return ObjectSpans(
      thread: spans.thread.taken(order), object: spans.object.taken(order),
      began: spans.began.taken(order), ended: spans.ended.taken(order))
  }

}

extension Array {
  fileprivate func taken(_ order: [Int]) -> [Element] { order.map { self[$0] } }
}
