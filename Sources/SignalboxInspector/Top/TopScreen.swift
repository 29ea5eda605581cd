// TopScreen — the lines of `signalbox top` for a terminal of a given size.
//
// It makes plain text. Text from the target's memory was escaped when it was read, so no line can
// control the terminal.

package struct TopScreen {
  package struct Line: Equatable {
    package let text: String
    package let style: Style
  }

  package enum Style { case plain, title, heading, selected, alarm }

  private let columns: Int
  private let rows: Int
  private let sample: TopSample
  private let rates: [UInt64: Double]
  private let times: [UInt64: Times]
  private var lines: [Line] = []

  /// - Parameters:
  ///   - before: an earlier sample, for the rates.
  ///   - isOver: whether the process has ended.
  package static func lines(
    _ sample: TopSample, before: TopSample?, isOver: Bool, _ view: inout TopView, columns: Int,
    rows: Int
  ) -> [Line] {
    var screen = TopScreen(sample, before, columns: max(columns, 1), rows: max(rows, 1))
    screen.draw(&view, isOver)
    return screen.lines.prefix(screen.rows).map { $0 }
  }

  /// The lines for a list of processes. The first element of `list` contains the headings.
  package static func lines(
    of list: [String], selection: Int, columns: Int, rows: Int
  ) -> [Line] {
    let room = max(0, rows - 2)
    let first = max(0, selection - room + 1)
    var lines = [Line(text: TerminalText.cut("  " + (list.first ?? ""), columns), style: .heading)]
    for (index, text) in list.dropFirst().enumerated().dropFirst(first).prefix(room) {
      let isSelected = index == selection
      lines.append(
        Line(
          text: TerminalText.cut((isSelected ? "> " : "  ") + text, columns),
          style: isSelected ? .selected : .plain))
    }
    while lines.count < rows - 1 { lines.append(Line(text: "", style: .plain)) }
    let footer = list.count > 1 ? "enter open  q quit" : "no process can be seen  q quit"
    return Array(
      (lines.prefix(rows - 1) + [Line(text: TerminalText.cut(footer, columns), style: .heading)])
        .prefix(rows))
  }

  private init(_ sample: TopSample, _ before: TopSample?, columns: Int, rows: Int) {
    self.sample = sample
    self.columns = columns
    self.rows = rows
    rates = TopScreen.rates(sample, before)
    times = TopScreen.times(sample, before)
  }

  /// The times that one item in a hundred exceeds, among the items since the previous sample.
  struct Times {
    let wait: UInt64?
    let run: UInt64?
  }

  /// By queue; empty if none was measured.
  private static func times(_ sample: TopSample, _ before: TopSample?) -> [UInt64: Times] {
    let old = Dictionary(
      before?.queues.map { ($0.id, $0.times) } ?? [], uniquingKeysWith: { a, _ in a })
    var times: [UInt64: Times] = [:]
    for queue in sample.queues {
      guard let now = queue.times else { continue }
      let was = old[queue.id] ?? nil
      times[queue.id] = Times(
        wait: now.waits.since(was?.waits).quantile(0.99),
        run: now.runs.since(was?.runs).quantile(0.99))
    }
    return times
  }

  /// Items and calls of `sync` in a second, by queue.
  static func rates(_ sample: TopSample, _ before: TopSample?) -> [UInt64: Double] {
    guard let before, sample.uptime > before.uptime else { return [:] }
    let seconds = Double(sample.uptime - before.uptime) / 1e9
    let old = Dictionary(before.queues.map { ($0.id, $0) }, uniquingKeysWith: { a, _ in a })
    var rates: [UInt64: Double] = [:]
    for queue in sample.queues {
      guard let now = queue.counts, let was = old[queue.id]?.counts else { continue }
      // Another queue may have got the address.
      let (sum, last) = (now.runs &+ now.turns, was.runs &+ was.turns)
      if sum >= last { rates[queue.id] = Double(sum - last) / seconds }
    }
    return rates
  }

  private mutating func add(_ text: String, _ style: Style = .plain) {
    lines.append(Line(text: TerminalText.cut(text, columns), style: style))
  }

  private mutating func draw(_ view: inout TopView, _ isOver: Bool) {
    let rate = rates.values.reduce(0, +)
    add(
      "\(sample.name) \(sample.process)\(isOver ? " HAS ENDED" : view.isFrozen ? " FROZEN" : "")"
        + "  \(TerminalText.short(rate))/s  \(sample.threads.count) threads, \(sample.waiting) wait",
      .title)
    for note in sample.notes.prefix(rows > 15 ? 3 : 1) {
      add(note, note.hasPrefix("deadlock") ? .alarm : .plain)
    }
    if let opened = view.opened {
      drawOpened(opened)
    } else {
      if rows > 15 { for pool in sample.pools.prefix(4) { add(pool) } }
      drawTables(&view)
    }
    while lines.count < rows - 1 { add("") }
    lines = Array(lines.prefix(rows - 1))
    add(footer(view), .heading)
  }

  private func footer(_ view: TopView) -> String {
    if view.isTyping { return "filter: \(view.filter)_" }
    if view.opened != nil { return "esc back  space freeze  q quit" }
    let filter = view.filter.isEmpty ? "" : ":" + view.filter
    return "q quit  s sort:\(view.order.rawValue)  / filter\(filter)  space freeze  tab table"
      + "  enter open"
  }

  // MARK: Tables

  private mutating func drawTables(_ view: inout TopView) {
    let queues = sorted(sample.queues.filter { view.matches($0.label) }, view.order)
    let threads = sample.threads.filter { view.matches($0.title) || view.matches($0.doing) }
    // Two headings and the last line.
    let room = max(0, rows - lines.count - 3)
    let isFirst = view.table == .queues
    // The table with the selection gets what it needs, but leaves the other table up to a third.
    let wanted = isFirst ? queues.count : threads.count
    let own = max(min(wanted, room - min(room / 3, isFirst ? threads.count : queues.count)), 0)
    let queueRoom = isFirst ? own : room - own
    view.queues.show(queues.map(\.id))
    view.threads.show(threads.map(\.kernelID))
    add(heading, .heading)
    let firstQueue = first(view.queues.row, isFirst, queueRoom)
    for (index, queue) in queues.enumerated().dropFirst(firstQueue).prefix(queueRoom) {
      add(row(queue), isSelected: isFirst && index == view.queues.row)
    }
    add("  THREAD           DOES", .heading)
    let firstThread = first(view.threads.row, !isFirst, room - queueRoom)
    for (index, thread) in threads.enumerated().dropFirst(firstThread).prefix(room - queueRoom) {
      let name = TerminalText.fit(
        thread.name.isEmpty ? "\(thread.kernelID)" : thread.name, 16)
      add("\(name) \(thread.doing)", isSelected: !isFirst && index == view.threads.row)
    }
  }

  /// The first row that is shown.
  private func first(_ selection: Int, _ isSelected: Bool, _ room: Int) -> Int {
    isSelected ? max(0, selection - room + 1) : 0
  }

  private mutating func add(_ text: String, isSelected: Bool) {
    add((isSelected ? "> " : "  ") + text, isSelected ? .selected : .plain)
  }

  private func sorted(_ queues: [TopSample.Queue], _ order: TopView.Order) -> [TopSample.Queue] {
    func value(_ queue: TopSample.Queue) -> Double {
      switch order {
      case .rate: rates[queue.id] ?? 0
      case .depth: Double(queue.depth ?? .max)
      case .items: Double(queue.counts?.runs ?? 0)
      case .name: 0
      case .wait: Double(times[queue.id]?.wait ?? 0)
      case .run: Double(times[queue.id]?.run ?? 0)
      }
    }
    return queues.map { ($0, value($0)) }.sorted { a, b in
      (b.1, a.0.label, a.0.id) < (a.1, b.0.label, b.0.id)
    }.map(\.0)
  }

  private var isWide: Bool { columns >= 64 }

  private var isMeasured: Bool { !times.isEmpty }

  /// Columns of times take the place of counts, if there is not room for both.
  private var hasCounts: Bool { isWide && (!isMeasured || columns >= 100) }

  private var heading: String {
    "   RATE/S   WAIT RUN " + (hasCounts ? "    ITEMS    SYNCS  WAITED" : "")
      + (isWide && isMeasured ? "  P99 WAIT  P99 RUN" : "") + (isWide ? " KIND       " : "")
      + "QUEUE"
  }

  private func row(_ queue: TopSample.Queue) -> String {
    func right(_ text: String, _ columns: Int) -> String {
      TerminalText.fit(text, columns, right: true)
    }
    let rate = rates[queue.id].map { TerminalText.short($0) } ?? "-"
    let depth = queue.depth.map { "\($0)\(queue.hasMore ? "+" : "")" } ?? "?"
    var text =
      right(rate, 7) + right(depth, 7) + right("\(queue.active)", 4) + (queue.isHalted ? "!" : " ")
    if hasCounts {
      let counts = [queue.counts?.runs, queue.counts?.turns, queue.counts?.waits]
      for (count, width) in zip(counts, [9, 9, 8]) {
        text += right(count.map { TerminalText.short(Double($0)) } ?? "-", width)
      }
    }
    if isWide && isMeasured {
      let seen = times[queue.id]
      text += right(seen?.wait.map { TimeWords.of($0) } ?? "-", 10)
      text += right(seen?.run.map { TimeWords.of($0) } ?? "-", 9)
    }
    if isWide { text += " " + TerminalText.fit(queue.kind, 10) + " " }
    return text + queue.label
  }

  // MARK: One queue or thread

  private mutating func drawOpened(_ opened: TopView.Opened) {
    switch opened {
    case .queue(let id):
      guard let queue = sample.queues.first(where: { $0.id == id }) else {
        return add("the queue is gone")
      }
      draw(queue)
    case .thread(let kernelID):
      guard let thread = sample.threads.first(where: { $0.kernelID == kernelID }) else {
        return add("the thread has ended")
      }
      for line in TerminalText.wrapped("\(thread.title) \(thread.doing)", columns) { add(line) }
    }
  }

  private func words(_ histogram: SeenHistogram) -> String {
    let parts = [("half", 0.5), ("90 %", 0.9), ("99 %", 0.99)].map { name, part in
      "\(name) \(histogram.quantile(part).map { TimeWords.of($0) } ?? "-")"
    }
    return parts.joined(separator: ", ") + ", longest \(TimeWords.of(histogram.longest))"
  }

  private mutating func draw(_ queue: TopSample.Queue) {
    add("queue    \(queue.label)")
    add("kind     \(queue.kind)\(queue.isHalted ? ", suspended or inactive" : "")")
    add("address  0x\(String(queue.id, radix: 16))")
    if let target = queue.target { add("target   \(target)") }
    if let counts = queue.counts {
      add("items    \(counts.runs)")
      add("syncs    \(counts.turns), of which and of shared ones \(counts.waits) waited")
    }
    add("rate     \(rates[queue.id].map { TerminalText.short($0) } ?? "-")/s")
    let depth = queue.depth.map { "\($0)\(queue.hasMore ? " or more" : "")" }
    add("waiting  \(depth ?? "not counted")")
    add("running  \(queue.active)")
    if let times = queue.times {
      add("waited   \(words(times.waits))")
      add("ran      \(words(times.runs))")
      add("at most  \(times.mostWaiting) waited at one time")
    }
    if let owner = queue.owner { add("owner    \(owner)") }
    for thread in sample.threads where thread.object == queue.id {
      add("         \(thread.title) \(thread.doing)")
    }
  }
}
