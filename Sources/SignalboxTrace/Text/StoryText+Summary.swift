// StoryText+Summary — where the time went, on one screen.

extension StoryText {
  /// How many rows of each part the summary shows, so that it fits on one
  /// screen.
  private struct Rows {
    var queues = 6
    var waits = 3
    var threads = 3
    var advice = 0
  }

  /// At most 24 lines: the program, its queues, its longest waits, its threads,
  /// and advice.
  package var summary: String {
    let advice = story.advice
    let rows = advice.isEmpty ? Rows() : Rows(queues: 4, waits: 2, threads: 2, advice: 3)
    return
      (heading + queueTable(rows.queues) + waitList(rows.waits) + threadTable(rows.threads)
      + list(advice, rows.advice)).map { $0.trimmedAtEnd + "\n" }.joined()
  }

  /// The output of "signalbox-trace advice", shortened to one line each.
  private func list(_ advice: [Advice], _ shown: Int) -> [String] {
    guard !advice.isEmpty else { return [] }
    return ["", title("ADVICE", advice.count, shown)]
      + advice.prefix(shown).map {
        TerminalText.truncated("\($0.kind.words): \($0.finding)", StoryText.columns)
      }
  }

  // MARK: The program

  private var heading: [String] {
    let meta = story.meta
    let program = meta.program.isEmpty ? "a program" : meta.program
    var lines = [
      TerminalText.truncated(
        "\(program), process \(meta.processID): \(DurationText.text(meta.duration)) from "
          + "\(story.began.text), \(meta.cause.words)",
        StoryText.columns),
      TerminalText.truncated(
        "\(count(story.items.count, "item")) on \(count(queuesWithItems, "queue")), "
          + "\(count(StoryText.worst(story).count, "wait")), "
          + "\(count(threadRows.count, "thread")) on \(count(Int(meta.processors), "processor"))",
        StoryText.columns),
    ]
    var losses = meta.notes
    if let lost = story.lossWords { losses.insert(lost, at: 0) }
    if let first = losses.first {
      let more = losses.count > 1 ? " (and \(losses.count - 1) more)" : ""
      lines.append("! " + TerminalText.truncated(first, StoryText.columns - 2 - more.count) + more)
    }
    return lines
  }

  /// The number of queues in the table of queues.
  private var queuesWithItems: Int { Set(story.items.queue).count }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  // MARK: Queues

  private func queueTable(_ shown: Int) -> [String] {
    // Sort by the total time, in items and waiting for them.
    let rows = story.queueRows().sorted {
      let times = ($0.running.total + $0.waiting.total, $1.running.total + $1.waiting.total)
      return times.0 != times.1 ? times.0 > times.1 : $0.queue < $1.queue
    }
    guard !rows.isEmpty else { return ["", "No queue was used."] }
    let widths = [7, 6, 9, 8, 8, 8, 8]
    let titles = ["ITEMS", "DEPTH", "WAIT p50", "p99", "RUN p50", "p99", "BLOCKED"]
    // Count queues rather than rows, because a row may stand for several
    // queues.
    let all = rows.reduce(0) { $0 + $1.queues }
    let told = rows.prefix(shown).reduce(0) { $0 + $1.queues }
    return ["", row(title("QUEUE", all, told), titles, widths)]
      + rows.prefix(shown).map { summary in
        let times = [
          summary.waiting.median, summary.waiting.p99, summary.running.median,
          summary.running.p99, summary.blocked,
        ]
        let several = summary.queues > 1 ? "\(summary.queues) × " : ""
        return row(
          several + story.queueName(summary.queue),
          ["\(summary.items)", "\(summary.greatestDepth)"] + times.map(DurationText.text), widths)
      }
  }

  private func title(_ name: String, _ count: Int, _ shown: Int) -> String {
    count > shown ? "\(name) (\(shown) of \(count))" : name
  }

  /// Formats a row: the first, textual column takes the space that the numbers
  /// leave.
  private func row(_ first: String, _ others: [String], _ widths: [Int]) -> String {
    TerminalText.fit(first, StoryText.columns - widths.reduce(0, +))
      + zip(others, widths).map { TerminalText.right($0, $1) }.joined()
  }

  // MARK: Waits

  private func waitList(_ shown: Int) -> [String] {
    let rows = StoryText.worst(story)
    guard !rows.isEmpty else { return ["", "No thread waited for another."] }
    return ["", "BLOCKED LONGEST"]
      + rows.prefix(shown).flatMap { wait in
        let length = story.length(story.waits.began[wait], story.waits.ended[wait])
        let (first, second) = words(wait)
        return [
          TerminalText.right(DurationText.text(length), 8) + "  "
            + TerminalText.truncated(first, StoryText.columns - 10),
          String(repeating: " ", count: 10)
            + TerminalText.truncated(second, StoryText.columns - 10),
        ]
      }
  }

  /// The waits that another thread had to end, longest first: no waits for
  /// timers and no idle threads.
  static func worst(_ story: TraceStory) -> [Int] {
    (0..<story.waits.count).filter { wait in
      let object = story.waits.object[wait]
      let kind = object >= 0 ? story.objects[Int(object)].kind : .other
      return !story.isIdle(wait) && kind != .timer && (object >= 0 || story.waits.queue[wait] >= 0)
    }.sorted { one, other in
      let lengths = [one, other].map { story.length(story.waits.began[$0], story.waits.ended[$0]) }
      return lengths[0] != lengths[1] ? lengths[0] > lengths[1] : one < other
    }
  }

  private func words(_ wait: Int) -> (String, String) {
    let waits = story.waits
    let first = "\(story.threadName(waits.thread[wait])) waits \(story.waitWords(wait))"
    var second: [String] = []
    if waits.item[wait] >= 0 {
      let queue = story.items.queue[Int(waits.item[wait])]
      second.append("in an item of \(story.queueName(queue))")
    }
    if waits.owner[wait] >= 0 { second.append("held by \(story.threadName(waits.owner[wait]))") }
    if waits.timedOut[wait] {
      second.append("timed out")
    } else if waits.ended[wait] < 0 {
      second.append("still waiting")
    } else if waits.waker[wait] >= 0 {
      second.append("woken by \(story.threadName(waits.waker[wait]))")
    } else {
      second.append("woken by an unknown thread")
    }
    return (first, second.joined(separator: ", "))
  }

  // MARK: Threads

  private var threadRows: [ThreadSummary] {
    story.threadSummaries().filter { $0.running > 0 || $0.blocked > 0 || $0.idle > 0 }
  }

  private func threadTable(_ shown: Int) -> [String] {
    let rows = threadRows.sorted {
      let times = ($0.running + $0.blocked, $1.running + $1.blocked)
      return times.0 != times.1 ? times.0 > times.1 : $0.thread < $1.thread
    }
    guard !rows.isEmpty else { return [] }
    let widths = [8, 9, 9, 9, 9]
    let titles = ["ITEMS", "RUNNING", "BLOCKED", "IDLE", "SWITCHES"]
    return ["", row(title("THREAD", rows.count, shown), titles, widths)]
      + rows.prefix(shown).map { summary in
        let times = [summary.running, summary.blocked, summary.idle]
        return row(
          story.threadName(summary.thread),
          ["\(summary.items)"] + times.map { DurationText.text(max(0, $0)) }
            + ["\(summary.switches)"], widths)
      }
  }
}
