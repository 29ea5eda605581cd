// StepText — the steps in words: each with the recorded events that show it.

struct StepText {
  let scene: Scene
  let run: RecordedRun
  let matches: [StepMatch]

  var text: String {
    var lines = [scene.title.uppercased(), ""]
    lines += StepText.wrapped(scene.source, indent: "")
    lines.append("")
    for (number, match) in zip(1..., matches) {
      lines += StepText.wrapped(match.step.text, indent: "   ", first: "\(number)  ")
      for event in match.events {
        lines.append("     \(time(event.time))  \(thread(event.thread)) \(event.words)")
      }
      for fact in match.step.facts {
        lines += StepText.wrapped(fact.words, indent: "       ", first: "     = ")
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  private func thread(_ thread: Int) -> String {
    let title = run.threads[thread].title
    return title + String(repeating: " ", count: max(0, 14 - title.count))
  }

  /// Milliseconds with three digits after the point, ten columns wide.
  private func time(_ nanoseconds: Int) -> String {
    let microseconds = nanoseconds / 1000
    let digits = String(microseconds % 1000)
    let text =
      "\(microseconds / 1000)."
      + String(repeating: "0", count: 3 - digits.count) + digits + " ms"
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
  }

  /// Lines of 78 columns at most.
  private static func wrapped(_ text: String, indent: String, first: String = "") -> [String] {
    var lines: [String] = []
    var line = first
    for word in text.split(separator: " ") {
      let start = lines.isEmpty ? first : indent
      if line.count + word.count > 78, line != start {
        lines.append(line)
        line = indent
      }
      line += line == (lines.isEmpty ? first : indent) ? "\(word)" : " \(word)"
    }
    return lines + [line]
  }
}
