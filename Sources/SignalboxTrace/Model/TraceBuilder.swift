// TraceBuilder — goes through all events once, in time order, and pairs
// beginnings with ends.
//
// It invents nothing. It omits and counts an end without a beginning. If a
// thread's events were lost, everything that was in progress on it ends at an
// unknown time. Documentation/Internals/TraceModel.md says what the builder infers,
// and how.

import SignalboxDiagnostics

struct TraceBuilder: ~Copyable {
  typealias Index = TraceModel.Index
  typealias Time = TraceModel.Time

  /// Identifies an item that was submitted and has not started.
  struct Key: Hashable {
    let queue: UInt64
    let address: UInt64
  }
  struct Pending {
    let index: Index
    let submitted: UInt64
  }
  /// The last event that may have woken a waiter.
  struct Wake {
    var thread = TraceModel.none
    var time: UInt64 = 0
    /// The item in which it happened, and the QoS class of that item.
    var item = TraceModel.none
    var rank: TraceModel.Rank = 0
  }

  let start: UInt64
  let gapTimes: GapTimes
  var names: NameResolver
  var generation = 0
  var trace = TraceModel()
  var lanes: [ThreadProgress] = []
  private(set) var laneOf: [UInt32: ThreadProgress] = [:]
  var pending: [Key: Pending] = [:]
  var wakeOfObject: [Wake] = []
  var wakeOfQueue: [Wake] = []
  /// The deadline of each armed timer, by object.
  var due: [Index: UInt64] = [:]
  var reasons: [UInt16: Index] = [:]
  /// The row of each interval that has not ended, by number.
  var intervals: [UInt64: Int] = [:]
  /// The row of each task, by number.
  var tasks: [UInt32: Index] = [:]
  /// The row of each operation, by object.
  var operations: [Index: Int] = [:]
  var unmatchedEnds = 0
  var greatestStepBack: UInt64 = 0
  var last: UInt64

  static func build(_ recording: TraceRecording) -> TraceModel {
    var merge = EventMerge(recording)
    var builder = TraceBuilder(recording, merge)
    while let step = merge.next() { builder.take(step, recording.events[step.event]) }
    builder.greatestStepBack = merge.greatestStepBack
    return builder.finish(recording)
  }

  private init(_ recording: TraceRecording, _ merge: borrowing EventMerge) {
    let header = recording.header
    // If the oldest events were overwritten, the trace starts with the first
    // event that is left.
    let first = recording.firstTime ?? header.began
    start = header.eventsLost > 0 ? first : header.began
    last = start
    gapTimes = GapTimes(merge.gapTimes)
    names = NameResolver(recording.names)
    lanes = merge.lanes.map { ThreadProgress(number: $0.thread) }
    for lane in lanes { laneOf[lane.number] = lane }
    let count = recording.events.count / 3
    trace.items.reserve(count)
  }

  /// Converts a recorded time to the trace's time.
  func at(_ time: UInt64) -> Time {
    time >= start ? Time(time - start) : TraceModel.unknown
  }

  // MARK: One event

  private mutating func take(_ step: EventMerge.Step, _ event: TraceEvent) {
    let time = step.time
    let lane = lanes[step.lane]
    last = max(last, time)
    if names.nextTime <= time {
      names.advance(to: time)
      generation += 1
    }
    if lane.generation != generation {
      lane.generation = generation
      lane.thread = names.thread(lane.number)
    }
    if step.lost > 0 { gap(lane, time, lost: step.lost) }
    switch event.kind {
    case .itemSubmitted: itemSubmitted(lane, time, event)
    case .itemStarted: itemStarted(lane, time, event)
    case .itemFinished: itemFinished(lane, time, event)
    case .syncEntered: syncEntered(lane, time, event)
    case .syncLeft: syncLeft(lane, time, event)
    case .workerParked: lane.parkedSince = time
    case .workerUnparked: unparked(lane, time)
    case .waitBegan: waitBegan(lane, time, event)
    case .waitEnded: waitEnded(lane, time, event)
    case .wake, .semaphoreSignalled: wakes(lane, time, event)
    case .groupEntered: groupTurn(lane, time, event, isEntry: true)
    case .groupLeft:
      groupTurn(lane, time, event, isEntry: false)
      wakes(lane, time, event)
    case .drainBegan:
      lane.drains.append(ThreadProgress.Drain(queue: event.object, began: time))
    case .drainEnded: drainEnded(lane, time, event)
    case .loopBegan:
      lane.calls.append(
        ThreadProgress.Call(iterations: event.detail, began: time, item: lane.item))
    case .loopEnded: loopEnded(lane, time, event)
    case .timerArmed: due[names.object(event.object, .timer)] = event.detail
    case .timerCancelled: due[names.object(event.object, .timer)] = nil
    case .timerFired: timerFired(lane, time, event)
    case .lockTaken: lockTaken(lane, time, event)
    case .lockLeft: lockLeft(lane, time, event)
    case .threadStarted:
      lane.thread = names.threadThatBegins(lane.number)
      names.threads[Int(lane.thread)].began = at(time)
    case .threadEnded: names.threads[Int(lane.thread)].ended = at(time)
    case .runLoopStep: runLoopStep(lane, time, event)
    case .mark: mark(lane, time, event)
    case .operation: operation(lane, time, event)
    case .place: place(lane, event)
    // These events affect no item and no wait.
    case .workerWoken, .onceAsked, .semaphoreTaken: break
    }
    lane.isUnseen = false
  }

  /// Drops everything that was in progress on the thread. It may have ended at
  /// an unknown time.
  private mutating func gap(_ lane: ThreadProgress, _ time: UInt64, lost: UInt64) {
    trace.gaps.thread.append(lane.thread)
    trace.gaps.at.append(at(time))
    trace.gaps.lost.append(lost)
    for item in lane.items { truncate(item.index) }
    lane.items.removeAll()
    lane.waits.removeAll()
    lane.loops.removeAll()
    lane.holds.removeAll()
    lane.drains.removeAll()
    lane.calls.removeAll()
    for interval in lane.intervals { trace.intervals.flags[interval].insert(.isTruncated) }
    lane.intervals.removeAll()
    lane.parkedSince = nil
    lane.isUnseen = false
    lane.lastSubmitted = TraceModel.none
    lane.lastWait = TraceModel.none
  }

  /// Assigns a place to the thread's preceding event.
  private mutating func place(_ lane: ThreadProgress, _ event: TraceEvent) {
    let text = names.knownText(event.detail)
    switch TracePlaceOf(rawValue: event.a) {
    case .submission:
      if lane.lastSubmitted >= 0 {
        trace.items.place[Int(lane.lastSubmitted)] = text
      }
    case .sync:
      if let item = lane.items.last, item.address == 0, item.index >= 0 {
        trace.items.place[Int(item.index)] = text
      }
    case .waitBegan:
      if !lane.waits.isEmpty {
        lane.waits[lane.waits.count - 1].place = text
      }
    case .waitEnded:
      if lane.lastWait >= 0 { trace.waits.place[Int(lane.lastWait)] = text }
    case .task: nameTask(lane, event.object)
    case nil: break
    }
  }

  // MARK: The end

  private mutating func finish(_ recording: TraceRecording) -> TraceModel {
    names.advance(to: .max)
    for lane in lanes {
      for wait in lane.waits {
        append(
          wait, lane, ended: TraceModel.unknown, waker: TraceModel.none, timedOut: false)
      }
      let thread = lane.thread
      if let began = lane.parkedSince {
        trace.parked.append(thread, at(began), TraceModel.unknown)
      }
      for loop in lane.loops {
        guard let began = loop.passBegan else { continue }
        trace.passes.append(thread, loop.object, at(began), TraceModel.unknown)
      }
      for hold in lane.holds {
        trace.holds.append(thread, hold.object, at(hold.taken), TraceModel.unknown)
      }
      for drain in lane.drains { append(drain, lane, ended: TraceModel.unknown) }
      for call in lane.calls { append(call, lane, ended: TraceModel.unknown) }
    }
    markWhatMayBeOver(recording)
    trace.order()
    trace.threads = names.threads
    trace.queues = names.queuesWithTargets()
    trace.objects = names.objects
    trace.strings = names.strings.strings
    trace.meta = meta(recording)
    return trace
  }

  /// Marks items that are still waiting or running but may have continued where
  /// events were lost.
  private mutating func markWhatMayBeOver(_ recording: TraceRecording) {
    let innermost = recording.chunks.reduce(UInt64(0)) { $0.addingOrMax($1.lostBefore) }
    // The position of these losses is unknown: at the very end, or before all
    // remaining events.
    let isMissingMore = recording.header.eventsLost > innermost
    for submission in pending.values
    where isMissingMore || gapTimes.overlap(submission.submitted, last) {
      truncate(submission.index)
    }
    for row in intervals.values {
      let began = start + UInt64(max(0, trace.intervals.began[row]))
      let isScoped = trace.intervals.flags[row].contains(.isScoped)
      // The end of a scoped interval can be lost on one thread only, whose
      // losses are known.
      if isMissingMore || !isScoped && gapTimes.overlap(began, last) {
        trace.intervals.flags[row].insert(.isTruncated)
      }
    }
    guard isMissingMore else { return }
    for lane in lanes {
      for item in lane.items { truncate(item.index) }
    }
  }

  private func meta(_ recording: TraceRecording) -> TraceModel.Meta {
    let header = recording.header
    var notes = recording.notes
    if header.cause == .notYet {
      notes.append("the recording is incomplete: the program was still running, or was killed")
    }
    if unmatchedEnds > 0 {
      notes.append(
        unmatchedEnds == 1
          ? "1 end was left out, because its beginning is not recorded"
          : "\(unmatchedEnds) ends were left out, because their beginnings are not recorded")
    }
    if greatestStepBack > 0 {
      let step = DurationText.text(Time(clamping: greatestStepBack))
      notes.append("a thread's clock went back, by \(step) at most; its events keep their order")
    }
    return TraceModel.Meta(
      program: header.program, processID: header.processID,
      beganOnTheWall: header.beganOnTheWall.addingOrMax(start - header.began),
      beganMonotonic: start, duration: Time(max(last, max(header.written, start)) - start),
      processors: header.processors, lostEvents: header.eventsLost,
      lostNames: header.namesLost, cause: header.cause, notes: notes)
  }
}

extension TraceModel {
  /// Builds the trace of a recording.
  ///
  /// Takes O(events · log threads). Any thread may call it.
  package init(_ recording: TraceRecording) { self = TraceBuilder.build(recording) }
}
