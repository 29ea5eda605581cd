// Drawing+Lanes — a lane for each queue, with who waits in it and what runs of it, and for each
// thread, with what it runs and for what it waits.

extension Drawing {
  // MARK: A queue

  func lane(_ queue: String, at top: Double, _ canvas: inout Canvas) -> Double {
    let shown = items.filter { $0.queue == queue }
    let rows = packed(shown.map { ($0.submitted < 0 ? $0.started : $0.submitted, $0.finished) })
    let height = Double(rows.count) * rowStep + 4
    ground(queue == Drawing.mainQueue ? "main queue" : queue, top, height, &canvas)
    for (number, row) in rows.enumerated() {
      let y = top + 3 + Double(number) * rowStep
      for (position, place) in row.enumerated() {
        let item = shown[place]
        if item.submitted >= 0 { waiting(x(item.submitted), x(item.started), y + 2, &canvas) }
        bar(item, y, &canvas)
        let next = position + 1 < row.count ? shown[row[position + 1]] : nil
        let end = next.map { x($0.submitted < 0 ? $0.started : $0.submitted) } ?? right
        label(item, y, limit: right, next: end, hasWaiting: true, &canvas)
      }
    }
    return top + height + 4
  }

  // MARK: A thread

  func lane(thread: Int, at top: Double, _ canvas: inout Canvas) -> Double {
    let shown = items.filter { $0.runner == thread }.sorted { $0.started < $1.started }
    // What runs within another stands a row below it.
    let rows = packed(shown.map { ($0.started, $0.finished) })
    let hasLoop = run.passes.contains { $0.thread == thread }
    let count = max(rows.count, 1) + (hasLoop && !rows.isEmpty ? 1 : 0)
    let height = Double(count) * rowStep + 4
    ground(run.threads[thread].title, top, height, &canvas)
    for (number, row) in rows.enumerated() {
      let y = top + 3 + Double(number) * rowStep
      for place in row { bar(shown[place], y, &canvas) }
    }
    for wait in run.waits where wait.thread == thread && isDrawn(wait) {
      // Beside what ran within the same item.
      blocked(
        x(wait.began), x(wait.ended < 0 ? times.upperBound : wait.ended), top + 3, rowHeight,
        &canvas)
    }
    for (number, row) in rows.enumerated() {
      let y = top + 3 + Double(number) * rowStep
      for (position, place) in row.enumerated() {
        work(shown[place], y, &canvas)
        let end = position + 1 < row.count ? x(shown[row[position + 1]].started) : right
        let item = shown[place]
        label(item, y, limit: firstWait(of: item), next: end, hasWaiting: false, &canvas)
      }
    }
    if hasLoop { loop(thread, top + 3, &canvas) }
    return top + height + 4
  }

  /// Whether a wait is one that keeps a thread from its work, at a time that is drawn.
  func isDrawn(_ wait: RecordedRun.Wait) -> Bool {
    !wait.isIdle && wait.began < times.upperBound
      && (wait.ended < 0 || wait.ended > times.lowerBound)
      && items.contains { item in
        item.runner == wait.thread && item.started <= wait.began && wait.began <= item.finished
      }
  }

  /// Passes, and in them the spans from an observer's call to the work.
  private func loop(_ thread: Int, _ y: Double, _ canvas: inout Canvas) {
    for pass in run.passes where pass.thread == thread {
      let end = pass.ended < 0 ? times.upperBound : pass.ended
      canvas.rectangle(
        x(pass.began), y, max(1.5, x(end) - x(pass.began)), rowHeight, palette.ground, radius: 2.5,
        stroke: palette.quiet)
    }
    let events = run.events.filter { $0.thread == thread }
    let steps = events.filter { $0.kind == .tells || $0.kind == .works }
    for (step, work) in zip(steps, steps.dropFirst())
    where work.kind == .works && step.kind == .tells {
      canvas.rectangle(
        x(step.time), y + 1, x(work.time) - x(step.time), rowHeight - 2, palette.span)
    }
    for (place, step) in steps.enumerated() where step.kind == .works {
      // Until the next step, or the end of the pass.
      let pass = run.passes.first { $0.began <= step.time && step.time <= $0.ended }
      let next = place + 1 < steps.count ? steps[place + 1].time : nil
      let end = x(next ?? pass?.ended ?? times.upperBound)
      canvas.rectangle(
        x(step.time), y + 1, end - x(step.time), rowHeight - 2, palette.run, radius: 2.5)
      if Canvas.width(step.subject, size: 11.5) <= end - x(step.time) - 10 {
        canvas.words(step.subject, x(step.time) + 5, y + 13.5, size: 11.5, palette.runInk)
      }
    }
  }

  // MARK: Pieces

  private func ground(_ name: String, _ y: Double, _ height: Double, _ canvas: inout Canvas) {
    canvas.rectangle(left, y, right - left, height, palette.lane, radius: 4)
    canvas.words(name, margin, y + 16, size: 12.5, palette.text)
  }

  private func colours(_ item: RecordedRun.Item) -> (fill: String, ink: String) {
    if item.isBarrier { return (palette.barrier, palette.barrierInk) }
    return item.isSync ? (palette.sync, palette.syncInk) : (palette.run, palette.runInk)
  }

  private func bar(_ item: RecordedRun.Item, _ y: Double, _ canvas: inout Canvas) {
    let (from, to) = (x(item.started), x(item.finished))
    canvas.rectangle(
      from, y, max(1, to - from - 0.7), rowHeight, colours(item).fill, radius: 2.5,
      opacity: scene.pieces.isEmpty ? 1 : 0.35)
    if !scene.pieces.isEmpty { work(item, y, &canvas) }
  }

  /// The pieces of an item in which it was at work.
  private func work(_ item: RecordedRun.Item, _ y: Double, _ canvas: inout Canvas) {
    for piece in scene.pieces {
      guard let from = run.mark(piece.from), let to = run.mark(piece.to),
        item.started <= from, to <= item.finished
      else { continue }
      let places = run.events.filter { $0.kind == .marks && $0.subject == piece.from }
      guard places.allSatisfy({ $0.thread == item.runner }) else { continue }
      canvas.rectangle(
        x(from), y, max(1, x(to) - x(from)), rowHeight, colours(item).fill, radius: 2.5)
    }
  }

  /// An item's name: in its bar; or where it is too short for that, after it or before it.
  ///
  /// - Parameters:
  ///   - limit: how far the bar is free of anything else.
  ///   - next: where the next thing in the row begins.
  private func label(
    _ item: RecordedRun.Item, _ y: Double, limit: Double, next: Double, hasWaiting: Bool,
    _ canvas: inout Canvas
  ) {
    let (from, to) = (x(item.started), x(item.finished))
    let room = Canvas.width(words(item), size: 11.5) + 8
    if scene.pieces.isEmpty, room <= min(limit, to) - from {
      canvas.words(words(item), from + 5, y + 13.5, size: 11.5, colours(item).ink)
    } else if room <= next - to {
      canvas.words(words(item), to + 4, y + 13.5, size: 11.5, palette.text)
    } else if hasWaiting, item.submitted >= 0, room <= from - x(item.submitted) {
      canvas.words(words(item), from - 4, y + 13.5, size: 11.5, palette.text, anchor: "end")
    }
  }

  /// Where an item is drawn in pieces, it is told how often its thread has left the processor.
  private func words(_ item: RecordedRun.Item) -> String {
    if scene.pieces.isEmpty || !scene.tellsSwitches { return item.name }
    let switches = item.switches + item.preempted
    return "\(item.name) · \(switches) context switch\(switches == 1 ? "" : "es")"
  }

  /// Where the first of a thread's waits is drawn over an item.
  private func firstWait(of item: RecordedRun.Item) -> Double {
    let waits = run.waits.filter {
      $0.thread == item.runner && isDrawn($0) && item.started <= $0.began
        && $0.began <= item.finished
    }
    return waits.map { x($0.began) }.min() ?? right
  }

  func waiting(_ from: Double, _ to: Double, _ y: Double, _ canvas: inout Canvas) {
    guard to - from > 0.5 else { return }
    canvas.rectangle(from, y, to - from, 14, palette.wait)
    canvas.line(from, y + 14, to, y + 14, palette.waitLine)
    canvas.line(from + 0.75, y, from + 0.75, y + 14, palette.waitLine, width: 1.5)
  }

  func blocked(
    _ from: Double, _ to: Double, _ y: Double, _ height: Double, _ canvas: inout Canvas
  ) {
    canvas.rectangle(
      from, y, max(1, to - from), height, "url(#blocked)", stroke: palette.blocked)
  }

  /// Puts spans into as few rows as hold them without an overlap.
  private func packed(_ spans: [(Int, Int)]) -> [[Int]] {
    var rows: [[Int]] = []
    var ends: [Int] = []
    for (place, span) in spans.enumerated() {
      if let row = ends.firstIndex(where: { $0 <= span.0 }) {
        rows[row].append(place)
        ends[row] = span.1
      } else {
        rows.append([place])
        ends.append(span.1)
      }
    }
    return rows
  }
}
