// PerfettoTrace+Intervals — the program's intervals that may end on another
// thread.

extension PerfettoTrace {
  private typealias Field = PerfettoField

  /// The name of an interval's slice, and what else it shows.
  func describe(_ event: inout PerfettoPackets.Event, _ interval: Int) {
    let intervals = trace.intervals
    (event.category, event.name) = ("interval", trace.string(intervals.name[interval]))
    event.notes = [("interval", Int64(clamping: intervals.number[interval]))]
    let details = trace.string(intervals.details[interval])
    if !details.isEmpty { event.texts.append(("details", details)) }
  }

  /// Writes a track for each name. Intervals that overlap can't share a track:
  /// each further one gets a lane.
  func putIntervals(_ packets: inout PerfettoPackets, _ output: inout ByteOutput) {
    let intervals = trace.intervals
    let spans = ThreadSpans(trace)
    var tracks: [TraceModel.Index: [UInt64]] = [:]
    var lanes: [TraceModel.Index: SpanLanes] = [:]
    var count = 0
    for interval in 0..<intervals.count where !intervals.flags[interval].contains(.isScoped) {
      let name = intervals.name[interval]
      let (began, end) = (intervals.began[interval], spans.intervalEnd(interval))
      let lane = lanes[name, default: SpanLanes()].lane(from: began, to: end)
      if lane == tracks[name, default: []].count {
        let track = uuid(.interval, count)
        count += 1
        packets.putTrack(
          track, parent: tracks[name]?.first ?? process, name: trace.string(name), to: &output)
        tracks[name, default: []].append(track)
      }
      let track = tracks[name, default: []][lane]
      var event = PerfettoPackets.Event(
        time: began, track: track, type: Field.EventType.sliceBegins)
      describe(&event, interval)
      event.texts.append(("began on", trace.threadName(intervals.thread[interval])))
      if intervals.ender[interval] >= 0 {
        event.texts.append(("ended on", trace.threadName(intervals.ender[interval])))
      }
      packets.put(event, to: &output)
      if end == ThreadSpans.never { continue }
      packets.put(
        PerfettoPackets.Event(time: end, track: track, type: Field.EventType.sliceEnds),
        to: &output)
    }
  }
}
