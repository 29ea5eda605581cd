// StoryText+Events — a short story as a list of events.

import SignalboxRuntime

extension StoryText {
  /// Above this number of items, a list of events is too long to read.
  static let readable = 60

  /// One line for each event, in time order; nil if there are too many items.
  package var events: String? {
    guard (1...StoryText.readable).contains(story.items.count) else { return nil }
    var lines: [(at: TraceStory.Time, order: Int, thread: TraceStory.Index, what: String)] = []
    func add(_ at: TraceStory.Time, _ thread: TraceStory.Index, _ what: String) {
      if at >= 0 { lines.append((at, lines.count, thread, what)) }
    }
    let names = itemNames
    for item in 0..<story.items.count {
      let queue = name(queue: story.items.queue[item])
      let isSync = story.items.flags[item].contains(.sync)
      add(
        story.items.submitted[item], story.items.submitter[item],
        isSync ? "calls sync \(names[item]) on \(queue)" : "submits \(names[item]) to \(queue)")
      add(
        story.items.started[item], story.items.runner[item], "starts \(names[item]) of \(queue)")
      add(story.items.finished[item], story.items.runner[item], "finishes \(names[item])")
    }
    let waits = story.waits
    for wait in 0..<waits.count {
      let owner = waits.owner[wait] >= 0 ? ", held by \(name(thread: waits.owner[wait]))" : ""
      add(waits.began[wait], waits.thread[wait], "waits \(story.waitWords(wait))\(owner)")
      let how =
        waits.timedOut[wait]
        ? "stops waiting: the wait timed out"
        : waits.waker[wait] >= 0
          ? "goes on, woken by \(name(thread: waits.waker[wait]))" : "goes on"
      add(waits.ended[wait], waits.thread[wait], how)
    }
    for mark in 0..<story.marks.count {
      add(
        story.marks.at[mark], story.marks.thread[mark],
        "marks \"\(story.string(story.marks.text[mark]))\"")
    }
    for operation in 0..<story.operations.count {
      let operations = story.operations
      let object = story.objects[Int(operations.object[operation])]
      let name = "operation \"\(story.string(object.name))\""
      let thread = operations.thread[operation]
      let item = operations.item[operation]
      add(operations.queued[operation], TraceStory.none, "\(name) is queued")
      add(operations.ready[operation], TraceStory.none, "\(name) is ready")
      add(operations.cancelled[operation], TraceStory.none, "\(name) is cancelled")
      add(
        operations.started[operation], thread,
        "starts \(name)" + (item >= 0 ? " in \(names[Int(item)])" : ""))
      add(operations.finished[operation], TraceStory.none, "\(name) is finished")
    }
    let (drains, loops, turns) = (story.drains, story.loops, story.turns)
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
      let group = TerminalText.escaped(story.objectName(turns.object[turn]))
      add(
        turns.at[turn], turns.thread[turn], "\(turns.isEntry[turn] ? "enters" : "leaves") \(group)")
    }
    for gap in 0..<story.gaps.count {
      add(
        story.gaps.at[gap], story.gaps.thread[gap],
        "goes on; \(counted(story.gaps.lost[gap], "event")) before this "
          + (story.gaps.lost[gap] == 1 ? "was lost" : "were lost"))
    }
    lines.sort { ($0.at, $0.order) < ($1.at, $1.order) }
    return "EVENTS\n"
      + lines.map { line in
        TerminalText.right(DurationText.text(line.at), 10) + "  "
          + TerminalText.fit(story.threadName(line.thread), 16) + " "
          + TerminalText.truncated(line.what, StoryText.columns - 29) + "\n"
      }.joined()
  }

  /// The letters A, B, … Z, A1, B1, … for the items, in the order of the story.
  var itemNames: [String] {
    (0..<story.items.count).map { item in
      let letter = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(item % 26)))
      return item < 26 ? letter : "\(letter)\(item / 26)"
    }
  }
}
