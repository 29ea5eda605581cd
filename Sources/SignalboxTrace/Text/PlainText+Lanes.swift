// PlainText+Lanes — a short trace as a drawing: a lane for each queue, with its
// items in order.
//
//   com.example.log
//     A   +···[=====]
//     B      +······[==~~~==]
//
// An event takes up one character even if it took no time, so a later event may
// cover an earlier one.

extension PlainText {
  private static let margin = 6

  /// The drawing of the queues; nil if there are too many items.
  package var lanes: String? {
    guard (1...PlainText.readable).contains(trace.items.count) else { return nil }
    let width = PlainText.columns - PlainText.margin
    let scale = DurationText.text(trace.meta.duration)
    var text = "LANES" + TerminalText.right("0 to \(scale)", PlainText.columns - 5) + "\n"
    let names = itemNames
    let (order, starts) = trace.itemsByQueue()
    for queue in trace.queues.indices where starts[queue] < starts[queue + 1] {
      let kind = trace.queues[queue].kind
      text += TerminalText.truncated(
        "\(trace.queueName(TraceModel.Index(queue))) (\(kind))", PlainText.columns)
      text += "\n"
      for item in order[starts[queue]..<starts[queue + 1]] {
        let label = "  " + names[Int(item)]
        let line = TerminalText.fit(label, PlainText.margin) + drawing(Int(item), width)
        text += line.trimmedAtEnd + "\n"
      }
    }
    return text + "+ submitted  · waiting  [ started  = running  ~ blocked  ] finished\n"
  }

  private func drawing(_ item: Int, _ width: Int) -> String {
    var line = [Character](repeating: " ", count: width)
    func column(_ time: TraceModel.Time) -> Int {
      let length = Double(max(1, trace.meta.duration))
      return min(width - 1, Int(Double(time) / length * Double(width)))
    }
    func fill(_ from: TraceModel.Time, _ to: TraceModel.Time, _ character: Character) {
      guard from >= 0 && to >= from else { return }
      for index in column(from)...column(to) { line[index] = character }
    }
    let (submitted, started) = (trace.items.submitted[item], trace.items.started[item])
    let finished = trace.items.finished[item]
    // If an item's end was lost, what happened after its last known event is
    // unknown.
    let isTruncated = trace.items.flags[item].contains(.isTruncated)
    let end = isTruncated ? -1 : trace.meta.duration
    fill(submitted, started >= 0 ? started : end, "·")
    fill(started, finished >= 0 ? finished : end, "=")
    for wait in 0..<trace.waits.count where trace.waits.item[wait] == TraceModel.Index(item) {
      let ended = trace.waits.ended[wait]
      fill(trace.waits.began[wait], ended >= 0 ? ended : end, "~")
    }
    fill(submitted, submitted, "+")
    fill(finished, finished, "]")
    fill(started, started, "[")
    return String(line)
  }
}
