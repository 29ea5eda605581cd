// StoryText+Lanes — a short story as a drawing: a lane for each queue, with its
// items in order.
//
//   com.example.log
//     A   +···[=====]
//     B      +······[==~~~==]
//
// An event takes up one character even if it took no time, so a later event may
// cover an earlier one.

extension StoryText {
  private static let margin = 6

  /// The drawing of the queues; nil if there are too many items.
  package var lanes: String? {
    guard (1...StoryText.readable).contains(story.items.count) else { return nil }
    let width = StoryText.columns - StoryText.margin
    let scale = DurationText.text(story.meta.duration)
    var text = "LANES" + TerminalText.right("0 to \(scale)", StoryText.columns - 5) + "\n"
    let names = itemNames
    let (order, starts) = story.itemsByQueue()
    for queue in story.queues.indices where starts[queue] < starts[queue + 1] {
      let kind = story.queues[queue].kind
      text += TerminalText.truncated(
        "\(story.queueName(TraceStory.Index(queue))) (\(kind))", StoryText.columns)
      text += "\n"
      for item in order[starts[queue]..<starts[queue + 1]] {
        let label = "  " + names[Int(item)]
        let line = TerminalText.fit(label, StoryText.margin) + drawing(Int(item), width)
        text += line.trimmedAtEnd + "\n"
      }
    }
    return text + "+ submitted  · waiting  [ started  = running  ~ blocked  ] finished\n"
  }

  private func drawing(_ item: Int, _ width: Int) -> String {
    var line = [Character](repeating: " ", count: width)
    func column(_ time: TraceStory.Time) -> Int {
      let length = Double(max(1, story.meta.duration))
      return min(width - 1, Int(Double(time) / length * Double(width)))
    }
    func fill(_ from: TraceStory.Time, _ to: TraceStory.Time, _ character: Character) {
      guard from >= 0 && to >= from else { return }
      for place in column(from)...column(to) { line[place] = character }
    }
    let (submitted, started) = (story.items.submitted[item], story.items.started[item])
    let finished = story.items.finished[item]
    // How an item went on after its end was lost is unknown.
    let isCut = story.items.flags[item].contains(.isCut)
    let end = isCut ? -1 : story.meta.duration
    fill(submitted, started >= 0 ? started : end, "·")
    fill(started, finished >= 0 ? finished : end, "=")
    for wait in 0..<story.waits.count where story.waits.item[wait] == TraceStory.Index(item) {
      let ended = story.waits.ended[wait]
      fill(story.waits.began[wait], ended >= 0 ? ended : end, "~")
    }
    fill(submitted, submitted, "+")
    fill(finished, finished, "]")
    fill(started, started, "[")
    return String(line)
  }
}
