// PerfettoTrace — a trace in the format of ui.perfetto.dev and its tools.
//
// The process has a track for each thread, on which items and waits nest, and a
// track for each queue, with its items and a curve of its depth. An arrow leads
// from where an item was submitted to where it started. The program's intervals
// nest on their thread's track, and those that may end on another thread have a
// track for each name.

struct PerfettoTrace {
  private typealias Field = PerfettoField

  let trace: TraceModel

  init(_ trace: TraceModel) { self.trace = trace }

  func write(to output: inout ByteOutput) {
    var packets = PerfettoPackets(start: trace.meta.beganMonotonic)
    packets.putClocks(wall: trace.meta.beganOnTheWall, to: &output)
    packets.putTrack(process, to: &output) { track in
      track.put(Field.Track.process) {
        $0.put(Field.Track.Process.pid, pid)
        if !trace.meta.program.isEmpty {
          $0.put(Field.Track.Process.name, trace.meta.program)
        }
      }
    }
    putThreads(&packets, &output)
    putQueues(&packets, &output)
    putIntervals(&packets, &output)
  }

  // MARK: Tracks

  enum Kind: UInt64 {
    case process = 1
    case thread, queue, lane, depth, interval
  }

  /// A track id that differs from those of other processes whose traces are
  /// viewed together, as long as their process IDs differ.
  func uuid(_ kind: Kind, _ index: Int = 0) -> UInt64 {
    kind.rawValue << 56 | UInt64(trace.meta.processID & 0xFF_FFFF) << 32
      | UInt64(UInt32(truncatingIfNeeded: index))
  }

  var process: UInt64 { uuid(.process) }
  private var pid: UInt64 { UInt64(trace.meta.processID & 0x7FFF_FFFF) }

  /// A distinct number for each thread.
  private var kernelNumbers: [UInt64] {
    var taken: Set<UInt64> = []
    return trace.threads.enumerated().map { index, thread in
      let kernel = thread.kernel
      // Above all thread IDs that Linux assigns.
      let isGood = kernel > 0 && kernel < 1 << 30 && taken.insert(kernel).inserted
      return isGood ? kernel : 1 << 30 + UInt64(index)
    }
  }

  // MARK: Threads

  private func putThreads(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    let spans = ThreadSpans(trace)
    for (index, kernel) in kernelNumbers.enumerated() {
      let track = uuid(.thread, index)
      packets.putTrack(track, parent: process, to: &output) { track in
        track.put(Field.Track.thread) {
          $0.put(Field.Track.Thread.pid, pid)
          $0.put(Field.Track.Thread.tid, kernel)
          $0.put(Field.Track.Thread.name, trace.threadName(TraceModel.Index(index)))
        }
      }
      var ends: [TraceModel.Time] = []
      for span in spans.nested(index) {
        putEnds(&ends, until: span.began, track, &packets, &output)
        packets.put(event(span, track), to: &output)
        ends.append(span.ended)
      }
      putEnds(&ends, until: .max, track, &packets, &output)
    }
    putInstants(&packets, &output)
  }

  /// Ends the slices that end by `time`, innermost first. A slice that is still
  /// open at the trace's end gets no end.
  private func putEnds(
    _ ends: inout [TraceModel.Time], until time: TraceModel.Time, _ track: UInt64,
    _ packets: inout PerfettoPackets, _ output: inout ByteOutput
  ) {
    while let end = ends.last, end <= time {
      ends.removeLast()
      if end == ThreadSpans.never { continue }
      packets.put(
        PerfettoPackets.Event(time: end, track: track, type: Field.EventType.sliceEnds),
        to: &output)
    }
  }

  private func event(_ span: ThreadSpans.Span, _ track: UInt64) -> PerfettoPackets.Event {
    var event = PerfettoPackets.Event(
      time: span.began, track: track, type: Field.EventType.sliceBegins)
    switch span.what {
    case .parked: (event.category, event.name) = ("idle", "parked")
    case .interval(let interval): describe(&event, interval)
    case .wait(let wait):
      (event.category, event.name) = ("wait", "waits \(trace.waitWords(wait))")
    case .item(let item):
      event.category = category(item)
      event.name = trace.queueName(trace.items.queue[item]) + taskWords(item, &event)
      let submitted = trace.items.submitted[item]
      if submitted >= 0 { event.notes.append(("waited_ns", trace.items.started[item] - submitted)) }
      if isHop(item) {
        event.flow = UInt64(item) + 1
        event.isLastOfFlow = true
      }
    }
    return event
  }

  /// The words after a queue's name for a job of a task. Adds the task's number to the event.
  private func taskWords(_ item: Int, _ event: inout PerfettoPackets.Event) -> String {
    let task = trace.items.task[item]
    guard task >= 0 else { return "" }
    event.notes.append(("task", Int64(trace.tasks.number[Int(task)])))
    return ": \(trace.taskName(ofItem: item))"
  }

  private func category(_ item: Int) -> String {
    let flags = trace.items.flags[item]
    return flags.contains(.sync)
      ? "sync" : flags.contains(.job) ? "job" : flags.contains(.handler) ? "handler" : "item"
  }

  /// Whether an arrow leads to the item's start.
  private func isHop(_ item: Int) -> Bool {
    let items = trace.items
    return items.submitted[item] >= 0 && items.started[item] >= 0 && items.submitter[item] >= 0
      && !items.flags[item].contains(.sync)
  }

  private func putInstants(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    func instant(_ time: TraceModel.Time, _ thread: TraceModel.Index) -> PerfettoPackets.Event {
      PerfettoPackets.Event(
        time: time, track: uuid(.thread, Int(thread)), type: Field.EventType.instant)
    }
    let items = trace.items
    for item in 0..<items.count
    where items.submitted[item] >= 0 && items.submitter[item] >= 0
      && !items.flags[item].contains(.sync)
    {
      var event = instant(items.submitted[item], items.submitter[item])
      (event.category, event.name) = ("submit", "to \(trace.queueName(items.queue[item]))")
      if isHop(item) { event.flow = UInt64(item) + 1 }
      packets.put(event, to: &output)
    }
    for mark in 0..<trace.marks.count {
      var event = instant(trace.marks.at[mark], trace.marks.thread[mark])
      (event.category, event.name) = ("mark", trace.string(trace.marks.text[mark]))
      packets.put(event, to: &output)
    }
    for timer in 0..<trace.timers.count {
      var event = instant(trace.timers.fired[timer], trace.timers.thread[timer])
      let name = trace.objectName(trace.timers.object[timer])
      (event.category, event.name) = ("timer", "\(name) fires")
      event.notes = [("late_ns", trace.timers.late[timer])]
      packets.put(event, to: &output)
    }
    for gap in 0..<trace.gaps.count {
      var event = instant(trace.gaps.at[gap], trace.gaps.thread[gap])
      (event.category, event.name) = ("lost", "events were lost")
      event.notes = [("events", Int64(clamping: trace.gaps.lost[gap]))]
      packets.put(event, to: &output)
    }
  }

  // MARK: Queues

  private func putQueues(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    let (order, starts) = trace.itemsByQueue()
    let spans = ThreadSpans(trace)
    var laneCount = 0
    for queue in trace.queues.indices where starts[queue] < starts[queue + 1] {
      let items = order[starts[queue]..<starts[queue + 1]].map { Int($0) }
      let name = trace.queueName(TraceModel.Index(queue))
      let track = uuid(.queue, queue)
      packets.putTrack(track, parent: process, name: name, to: &output)
      // Items that run at the same time can't share a track: each further one
      // gets a lane.
      var tracks = [track]
      var lanes = SpanLanes()
      for item in items.filter({ trace.items.started[$0] >= 0 }).sorted(by: {
        (trace.items.started[$0], $0) < (trace.items.started[$1], $1)
      }) {
        let started = trace.items.started[item]
        let end = spans.end(item)
        let lane = lanes.lane(from: started, to: end)
        if lane == tracks.count {
          laneCount += 1
          tracks.append(uuid(.lane, laneCount))
          packets.putTrack(tracks[lane], parent: track, name: name, to: &output)
        }
        putRun(item, end, tracks[lane], &packets, &output)
      }
      putDepth(queue, track, items, &packets, &output)
    }
  }

  private func putRun(
    _ item: Int, _ end: TraceModel.Time, _ track: UInt64, _ packets: inout PerfettoPackets,
    _ output: inout ByteOutput
  ) {
    var event = PerfettoPackets.Event(
      time: trace.items.started[item], track: track, type: Field.EventType.sliceBegins)
    event.category = category(item)
    event.name =
      "on \(trace.threadName(trace.items.runner[item]))" + taskWords(item, &event)
    packets.put(event, to: &output)
    if end == ThreadSpans.never { return }
    packets.put(
      PerfettoPackets.Event(time: end, track: track, type: Field.EventType.sliceEnds),
      to: &output)
  }

  private func putDepth(
    _ queue: Int, _ track: UInt64, _ items: [Int], _ packets: inout PerfettoPackets,
    _ output: inout ByteOutput
  ) {
    let depth = uuid(.depth, queue)
    packets.putTrack(depth, parent: track, name: "depth", to: &output) { track in
      track.put(Field.Track.counter) {
        $0.put(Field.Track.Counter.unit, Field.Track.Counter.count)
      }
    }
    var changes: [(at: TraceModel.Time, by: Int64)] = []
    for item in items where trace.items.submitted[item] >= 0 {
      let started = trace.items.started[item]
      // Don't count an item that may have started at an unknown time.
      if started < 0 && trace.items.flags[item].contains(.isTruncated) { continue }
      changes.append((trace.items.submitted[item], 1))
      if started >= 0 { changes.append((started, -1)) }
    }
    changes.sort { ($0.at, -$0.by) < ($1.at, -$1.by) }
    var value: Int64 = 0
    for (index, change) in changes.enumerated() {
      value += change.by
      // Of several changes at one moment, only the last value counts.
      if index + 1 < changes.count && changes[index + 1].at == change.at { continue }
      packets.put(
        PerfettoPackets.Event(
          time: change.at, track: depth, type: Field.EventType.counter, value: value),
        to: &output)
    }
  }
}
