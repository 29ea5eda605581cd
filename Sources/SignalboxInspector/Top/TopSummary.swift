// TopSummary — the line that `signalbox top` writes into a pipe each second.

extension TopSample {
  /// What has happened since an earlier sample, and what waits.
  package func line(since before: TopSample?) -> String {
    let rates = TopScreen.rates(self, before)
    let busiest = queues.max { (rates[$0.id] ?? 0) < (rates[$1.id] ?? 0) }
    let deepest = queues.max { ($0.depth ?? 0) < ($1.depth ?? 0) }
    var text =
      "\(process) \(name): \(TerminalText.short(rates.values.reduce(0, +)))/s, "
      + "\(queues.reduce(0) { $0 + ($1.depth ?? 0) }) items wait, \(threads.count) threads, "
      + "\(waiting) wait"
    if let busiest, let rate = rates[busiest.id], rate > 0 {
      text += "; busiest \(DisplayText.quoted(busiest.label)) \(TerminalText.short(rate))/s"
    }
    if let deepest, let depth = deepest.depth, depth > 0 {
      text += "; deepest \(DisplayText.quoted(deepest.label)) \(depth)\(deepest.hasMore ? "+" : "")"
    }
    for note in notes where note.hasPrefix("deadlock") { text += "; \(note)" }
    return text
  }
}
