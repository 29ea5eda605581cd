// PlainText+Summary — where the time went, on one screen.

extension PlainText {
  /// How many rows of each part the summary shows, so that it fits on one
  /// screen.
  private struct Rows {
    var queues = 6
    var waits = 3
    var threads = 3
    var advice = 0
    var intervals = 0

    init(hasAdvice: Bool, hasIntervals: Bool) {
      switch (hasAdvice, hasIntervals) {
      case (false, false): break
      case (true, false): (queues, waits, threads, advice) = (4, 2, 2, 3)
      case (false, true): (queues, waits, threads, intervals) = (4, 2, 2, 3)
      case (true, true): (queues, waits, threads, advice, intervals) = (3, 1, 2, 2, 2)
      }
    }
  }

  /// At most 24 lines: the program, its queues, its intervals, its longest
  /// waits, its threads, and advice.
  package var summary: String {
    let advice = trace.advice
    let intervals = trace.intervalRows()
    let rows = Rows(hasAdvice: !advice.isEmpty, hasIntervals: !intervals.isEmpty)
    return
      (heading + queueTable(rows.queues) + table(intervals, rows.intervals) + waitList(rows.waits)
      + threadTable(rows.threads)
      + list(advice, rows.advice)).map { $0.trimmedAtEnd + "\n" }.joined()
  }

  /// The output of "signalbox-trace advice", shortened to one line each.
  private func list(_ advice: [Advice], _ shown: Int) -> [String] {
    guard !advice.isEmpty else { return [] }
    return ["", title("ADVICE", advice.count, shown)]
      + advice.prefix(shown).map {
        TerminalText.truncated("\($0.kind.words): \($0.finding)", PlainText.columns)
      }
  }

  // MARK: The program

  private var heading: [String] {
    let meta = trace.meta
    let program = meta.program.isEmpty ? "a program" : meta.program
    var lines = [
      TerminalText.truncated(
        "\(program), process \(meta.processID): \(DurationText.text(meta.duration)) from "
          + "\(trace.began.text), \(meta.cause.words)",
        PlainText.columns),
      TerminalText.truncated(
        "\(count(trace.items.count, "item")) on \(count(queuesWithItems, "queue")), "
          + "\(count(PlainText.worst(trace).count, "wait")), "
          + "\(count(threadRows.count, "thread")) on \(count(Int(meta.processors), "processor"))",
        PlainText.columns),
    ]
    var losses = meta.notes
    if let lost = trace.lossWords { losses.insert(lost, at: 0) }
    if let first = losses.first {
      let more = losses.count > 1 ? " (and \(losses.count - 1) more)" : ""
      lines.append("! " + TerminalText.truncated(first, PlainText.columns - 2 - more.count) + more)
    }
    return lines
  }

  /// The number of queues in the table of queues.
  private var queuesWithItems: Int { Set(trace.items.queue).count }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  // MARK: Queues

  private func queueTable(_ shown: Int) -> [String] {
    // Sort by the total time, in items and waiting for them.
    let rows = trace.queueRows().sorted {
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
          several + trace.queueName(summary.queue),
          ["\(summary.items)", "\(summary.greatestDepth)"] + times.map(DurationText.text), widths)
      }
  }

  private func title(_ name: String, _ count: Int, _ shown: Int) -> String {
    count > shown ? "\(name) (\(shown) of \(count))" : name
  }

  /// Formats a row: the first, textual column takes the space that the numbers
  /// leave.
  private func row(_ first: String, _ others: [String], _ widths: [Int]) -> String {
    TerminalText.fit(first, PlainText.columns - widths.reduce(0, +))
      + zip(others, widths).map { TerminalText.right($0, $1) }.joined()
  }

  // MARK: Intervals

  private func table(_ intervals: [IntervalSummary], _ shown: Int) -> [String] {
    guard !intervals.isEmpty else { return [] }
    let widths = [8, 9, 9, 9, 9]
    let titles = ["COUNT", "p50", "p99", "LONGEST", "TOTAL"]
    return ["", row(title("INTERVAL", intervals.count, shown), titles, widths)]
      + intervals.prefix(shown).map { summary in
        let times = summary.times
        return row(
          trace.string(summary.name),
          ["\(times.count)"]
            + [times.median, times.p99, times.longest, times.total].map(DurationText.text), widths)
      }
  }

  // MARK: Waits

  private func waitList(_ shown: Int) -> [String] {
    let rows = PlainText.worst(trace)
    guard !rows.isEmpty else { return ["", "No thread waited for another."] }
    return ["", "BLOCKED LONGEST"]
      + rows.prefix(shown).flatMap { wait in
        let length = trace.length(trace.waits.began[wait], trace.waits.ended[wait])
        let (first, second) = words(wait)
        return [
          TerminalText.right(DurationText.text(length), 8) + "  "
            + TerminalText.truncated(first, PlainText.columns - 10),
          String(repeating: " ", count: 10)
            + TerminalText.truncated(second, PlainText.columns - 10),
        ]
      }
  }

  /// The waits that another thread had to end, longest first: no waits for
  /// timers and no idle threads.
  static func worst(_ trace: TraceModel) -> [Int] {
    (0..<trace.waits.count).filter { wait in
      let object = trace.waits.object[wait]
      let kind = object >= 0 ? trace.objects[Int(object)].kind : .other
      return !trace.isIdle(wait) && kind != .timer && (object >= 0 || trace.waits.queue[wait] >= 0)
    }.sorted { one, other in
      let lengths = [one, other].map { trace.length(trace.waits.began[$0], trace.waits.ended[$0]) }
      return lengths[0] != lengths[1] ? lengths[0] > lengths[1] : one < other
    }
  }

  private func words(_ wait: Int) -> (String, String) {
    let waits = trace.waits
    let first = "\(trace.threadName(waits.thread[wait])) waits \(trace.waitWords(wait))"
    var second: [String] = []
    if waits.item[wait] >= 0 {
      let queue = trace.items.queue[Int(waits.item[wait])]
      second.append("in an item of \(trace.queueName(queue))")
    }
    if waits.owner[wait] >= 0 { second.append("held by \(trace.threadName(waits.owner[wait]))") }
    if waits.timedOut[wait] {
      second.append("timed out")
    } else if waits.ended[wait] < 0 {
      second.append("still waiting")
    } else if waits.waker[wait] >= 0 {
      second.append("woken by \(trace.threadName(waits.waker[wait]))")
    } else {
      second.append("woken by an unknown thread")
    }
    return (first, second.joined(separator: ", "))
  }

  // MARK: Threads

  private var threadRows: [ThreadSummary] {
    trace.threadSummaries().filter { $0.running > 0 || $0.blocked > 0 || $0.idle > 0 }
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
          trace.threadName(summary.thread),
          ["\(summary.items)"] + times.map { DurationText.text(max(0, $0)) }
            + ["\(summary.switches)"], widths)
      }
  }
}
