// PlainText+Events — a short trace as a list of events.

import SignalboxRuntime

extension PlainText {
  /// Above this number of items, a list of events is too long to read.
  static let readable = 60

  /// One line for each event, in time order; nil if there are too many items.
  package var events: String? {
    guard (1...PlainText.readable).contains(trace.items.count) else { return nil }
    var lines: [(at: TraceModel.Time, order: Int, thread: TraceModel.Index, what: String)] = []
    func add(_ at: TraceModel.Time, _ thread: TraceModel.Index, _ what: String) {
      if at >= 0 { lines.append((at, lines.count, thread, what)) }
    }
    let names = itemNames
    for item in 0..<trace.items.count {
      let queue = name(queue: trace.items.queue[item])
      let isSync = trace.items.flags[item].contains(.sync)
      add(
        trace.items.submitted[item], trace.items.submitter[item],
        isSync
          ? "calls sync \(names[item]) on \(queue)"
          : "submits \(names[item])\(taskWords(item)) to \(queue)")
      add(
        trace.items.started[item], trace.items.runner[item], "starts \(names[item]) of \(queue)")
      add(trace.items.finished[item], trace.items.runner[item], "finishes \(names[item])")
    }
    let waits = trace.waits
    for wait in 0..<waits.count {
      let owner = waits.owner[wait] >= 0 ? ", held by \(name(thread: waits.owner[wait]))" : ""
      add(waits.began[wait], waits.thread[wait], "waits \(trace.waitWords(wait))\(owner)")
      let how =
        waits.timedOut[wait]
        ? "stops waiting: the wait timed out"
        : waits.waker[wait] >= 0
          ? "goes on, woken by \(name(thread: waits.waker[wait]))" : "goes on"
      add(waits.ended[wait], waits.thread[wait], how)
    }
    for mark in 0..<trace.marks.count {
      add(
        trace.marks.at[mark], trace.marks.thread[mark],
        "marks \"\(trace.string(trace.marks.text[mark]))\"")
    }
    let intervals = trace.intervals
    for interval in 0..<intervals.count {
      let name = "\"\(trace.intervalName(interval))\""
      add(intervals.began[interval], intervals.thread[interval], "begins \(name)")
      add(intervals.ended[interval], intervals.ender[interval], "ends \(name)")
    }
    for operation in 0..<trace.operations.count {
      let operations = trace.operations
      let object = trace.objects[Int(operations.object[operation])]
      let name = "operation \"\(trace.string(object.name))\""
      let thread = operations.thread[operation]
      let item = operations.item[operation]
      add(operations.queued[operation], TraceModel.none, "\(name) is queued")
      add(operations.ready[operation], TraceModel.none, "\(name) is ready")
      add(operations.cancelled[operation], TraceModel.none, "\(name) is cancelled")
      add(
        operations.started[operation], thread,
        "starts \(name)" + (item >= 0 ? " in \(names[Int(item)])" : ""))
      add(operations.finished[operation], TraceModel.none, "\(name) is finished")
    }
    let (drains, loops, turns) = (trace.drains, trace.loops, trace.turns)
    for drain in 0..<drains.count {
      let queue = name(queue: drains.queue[drain])
      add(drains.began[drain], drains.thread[drain], "begins to serve \(queue)")
      add(drains.ended[drain], drains.thread[drain], "has served \(queue)")
    }
    for loop in 0..<loops.count {
      let call = "concurrentPerform(iterations: \(loops.iterations[loop]))"
      add(loops.began[loop], loops.thread[loop], "calls \(call)")
      add(loops.ended[loop], loops.thread[loop], "returns from \(call)")
    }
    for turn in 0..<turns.count {
      let group = TerminalText.escaped(trace.objectName(turns.object[turn]))
      add(
        turns.at[turn], turns.thread[turn], "\(turns.isEntry[turn] ? "enters" : "leaves") \(group)")
    }
    for gap in 0..<trace.gaps.count {
      add(
        trace.gaps.at[gap], trace.gaps.thread[gap],
        "goes on; \(counted(trace.gaps.lost[gap], "event")) before this "
          + (trace.gaps.lost[gap] == 1 ? "was lost" : "were lost"))
    }
    lines.sort { ($0.at, $0.order) < ($1.at, $1.order) }
    return "EVENTS\n"
      + lines.map { line in
        TerminalText.right(DurationText.text(line.at), 10) + "  "
          + TerminalText.fit(trace.threadName(line.thread), 16) + " "
          + TerminalText.truncated(line.what, PlainText.columns - 29) + "\n"
      }.joined()
  }

  /// The task of an item that is a job, in parentheses.
  private func taskWords(_ item: Int) -> String {
    let task = trace.taskName(ofItem: item)
    return task.isEmpty ? "" : " (\(TerminalText.escaped(task)))"
  }

  /// The letters A, B, … Z, A1, B1, … for the items, in the order of the trace.
  var itemNames: [String] {
    (0..<trace.items.count).map { item in
      let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(item % 26)))
      return item < 26 ? letter : "\(letter)\(item / 26)"
    }
  }
}
