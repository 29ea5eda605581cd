// TraceBuilder+Intervals — the program's marks and intervals.

import SignalboxDiagnostics

extension TraceBuilder {
  mutating func mark(_ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent) {
    let flags = TraceMarkFlags(rawValue: event.flags)
    if flags.contains(.begins) { return intervalBegan(lane, time, event, flags) }
    if flags.contains(.ends) { return intervalEnded(lane, time, event) }
    trace.marks.thread.append(lane.thread)
    trace.marks.at.append(at(time))
    trace.marks.text.append(names.text(event.detail))
  }

  private mutating func intervalBegan(
    _ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent, _ flags: TraceMarkFlags
  ) {
    let row = trace.intervals.count
    let isScoped = flags.contains(.isScoped)
    trace.intervals.name.append(names.text(event.detail))
    trace.intervals.details.append(
      event.b == 0 ? TraceModel.none : names.text(UInt64(event.b)))
    trace.intervals.number.append(event.object)
    trace.intervals.thread.append(lane.thread)
    trace.intervals.began.append(at(time))
    trace.intervals.ender.append(TraceModel.none)
    trace.intervals.ended.append(TraceModel.unknown)
    trace.intervals.item.append(lane.item)
    trace.intervals.within.append(lane.intervals.last.map { Index($0) } ?? TraceModel.none)
    trace.intervals.flags.append(isScoped ? .isScoped : [])
    intervals[event.object] = row
    if isScoped { lane.intervals.append(row) }
  }

  private mutating func intervalEnded(
    _ lane: ThreadProgress, _ time: UInt64, _ event: TraceEvent
  ) {
    // An interval's number survives lost events, so the end is found even after a gap.
    guard let row = intervals.removeValue(forKey: event.object) else { return unmatchedEnds += 1 }
    trace.intervals.ended[row] = max(at(time), trace.intervals.began[row])
    trace.intervals.ender[row] = lane.thread
    trace.intervals.flags[row].remove(.isTruncated)
    let open = lane.intervals.suffix(ThreadProgress.deepest)
    guard let depth = open.lastIndex(of: row) else { return }
    // Intervals within this one have ended too, so their ends are missing.
    for inner in lane.intervals[(depth + 1)...] {
      trace.intervals.flags[inner].insert(.isTruncated)
    }
    lane.intervals.removeSubrange(depth...)
  }
}
