// PerfettoTrace — a story in the format of ui.perfetto.dev and its tools.
//
// The process has a track for each thread, on which items and waits nest, and a
// track for each queue, with its items and a curve of its depth. An arrow leads
// from where an item was submitted to where it started.

struct PerfettoTrace {
  private typealias Field = PerfettoField

  let story: TraceStory

  init(_ story: TraceStory) { self.story = story }

  func write(to output: inout ByteOutput) {
    var packets = PerfettoPackets(start: story.meta.beganMonotonic)
    packets.putClocks(wall: story.meta.beganOnTheWall, to: &output)
    packets.putTrack(process, to: &output) { track in
      track.put(Field.Track.process) {
        $0.put(Field.Track.Process.pid, pid)
        if !story.meta.program.isEmpty {
          $0.put(Field.Track.Process.name, story.meta.program)
        }
      }
    }
    putThreads(&packets, &output)
    putQueues(&packets, &output)
  }

  // MARK: Tracks

  private enum Kind: UInt64 {
    case process = 1
    case thread, queue, lane, depth
  }

  /// A track id that differs from those of other processes whose traces are
  /// viewed together, as long as their process IDs differ.
  private func uuid(_ kind: Kind, _ index: Int = 0) -> UInt64 {
    kind.rawValue << 56 | UInt64(story.meta.processID & 0xFF_FFFF) << 32
      | UInt64(UInt32(truncatingIfNeeded: index))
  }

  private var process: UInt64 { uuid(.process) }
  private var pid: UInt64 { UInt64(story.meta.processID & 0x7FFF_FFFF) }

  /// A distinct number for each thread.
  private var kernelNumbers: [UInt64] {
    var taken: Set<UInt64> = []
    return story.threads.enumerated().map { index, thread in
      let kernel = thread.kernel
      // Above all thread IDs that Linux assigns.
      let isGood = kernel > 0 && kernel < 1 << 30 && taken.insert(kernel).inserted
      return isGood ? kernel : 1 << 30 + UInt64(index)
    }
  }

  // MARK: Threads

  private func putThreads(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    let spans = ThreadSpans(story)
    for (index, kernel) in kernelNumbers.enumerated() {
      let track = uuid(.thread, index)
      packets.putTrack(track, parent: process, to: &output) { track in
        track.put(Field.Track.thread) {
          $0.put(Field.Track.Thread.pid, pid)
          $0.put(Field.Track.Thread.tid, kernel)
          $0.put(Field.Track.Thread.name, story.threadName(TraceStory.Index(index)))
        }
      }
      var ends: [TraceStory.Time] = []
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
  /// open at the story's end gets no end.
  private func putEnds(
    _ ends: inout [TraceStory.Time], until time: TraceStory.Time, _ track: UInt64,
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
    case .wait(let wait):
      (event.category, event.name) = ("wait", "waits \(story.waitWords(wait))")
    case .item(let item):
      event.category = category(item)
      event.name = story.queueName(story.items.queue[item])
      let submitted = story.items.submitted[item]
      if submitted >= 0 { event.notes.append(("waited_ns", story.items.started[item] - submitted)) }
      if isHop(item) {
        event.flow = UInt64(item) + 1
        event.isLastOfFlow = true
      }
    }
    return event
  }

  private func category(_ item: Int) -> String {
    let flags = story.items.flags[item]
    return flags.contains(.sync)
      ? "sync" : flags.contains(.job) ? "job" : flags.contains(.handler) ? "handler" : "item"
  }

  /// Whether an arrow leads to the item's start.
  private func isHop(_ item: Int) -> Bool {
    let items = story.items
    return items.submitted[item] >= 0 && items.started[item] >= 0 && items.submitter[item] >= 0
      && !items.flags[item].contains(.sync)
  }

  private func putInstants(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    func instant(_ time: TraceStory.Time, _ thread: TraceStory.Index) -> PerfettoPackets.Event {
      PerfettoPackets.Event(
        time: time, track: uuid(.thread, Int(thread)), type: Field.EventType.instant)
    }
    let items = story.items
    for item in 0..<items.count
    where items.submitted[item] >= 0 && items.submitter[item] >= 0
      && !items.flags[item].contains(.sync)
    {
      var event = instant(items.submitted[item], items.submitter[item])
      (event.category, event.name) = ("submit", "to \(story.queueName(items.queue[item]))")
      if isHop(item) { event.flow = UInt64(item) + 1 }
      packets.put(event, to: &output)
    }
    for mark in 0..<story.marks.count {
      var event = instant(story.marks.at[mark], story.marks.thread[mark])
      (event.category, event.name) = ("mark", story.string(story.marks.text[mark]))
      packets.put(event, to: &output)
    }
    for timer in 0..<story.timers.count {
      var event = instant(story.timers.fired[timer], story.timers.thread[timer])
      let name = story.objectName(story.timers.object[timer])
      (event.category, event.name) = ("timer", "\(name) fires")
      event.notes = [("late_ns", story.timers.late[timer])]
      packets.put(event, to: &output)
    }
    for gap in 0..<story.gaps.count {
      var event = instant(story.gaps.at[gap], story.gaps.thread[gap])
      (event.category, event.name) = ("lost", "events were lost")
      event.notes = [("events", Int64(clamping: story.gaps.lost[gap]))]
      packets.put(event, to: &output)
    }
  }

  // MARK: Queues

  private func putQueues(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    let (order, starts) = story.itemsByQueue()
    let spans = ThreadSpans(story)
    var laneCount = 0
    for queue in story.queues.indices where starts[queue] < starts[queue + 1] {
      let items = order[starts[queue]..<starts[queue + 1]].map { Int($0) }
      let name = story.queueName(TraceStory.Index(queue))
      let track = uuid(.queue, queue)
      packets.putTrack(track, parent: process, name: name, to: &output)
      // Items that run at the same time can't share a track: each further one
      // gets a lane.
      var tracks = [track]
      var lanes = SpanLanes()
      for item in items.filter({ story.items.started[$0] >= 0 }).sorted(by: {
        (story.items.started[$0], $0) < (story.items.started[$1], $1)
      }) {
        let started = story.items.started[item]
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
    _ item: Int, _ end: TraceStory.Time, _ track: UInt64, _ packets: inout PerfettoPackets,
    _ output: inout ByteOutput
  ) {
    var event = PerfettoPackets.Event(
      time: story.items.started[item], track: track, type: Field.EventType.sliceBegins)
    event.category = category(item)
    event.name = "on \(story.threadName(story.items.runner[item]))"
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
    var changes: [(at: TraceStory.Time, by: Int64)] = []
    for item in items where story.items.submitted[item] >= 0 {
      let started = story.items.started[item]
      // Don't count an item that may have started at an unknown time.
      if started < 0 && story.items.flags[item].contains(.isCut) { continue }
      changes.append((story.items.submitted[item], 1))
      if started >= 0 { changes.append((started, -1)) }
    }
    changes.sort { ($0.at, -$0.by) < ($1.at, -$1.by) }
    var value: Int64 = 0
    for (place, change) in changes.enumerated() {
      value += change.by
      // Of several changes at one moment, only the last value counts.
      if place + 1 < changes.count && changes[place + 1].at == change.at { continue }
      packets.put(
        PerfettoPackets.Event(
          time: change.at, track: depth, type: Field.EventType.counter, value: value),
        to: &output)
    }
  }
}
