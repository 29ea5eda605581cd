// Picture — two recordings as an SVG: a lane for each thread, and below them how many of the
// threads want a core.

struct Picture {
  let before: Recording
  let after: Recording
  let cores: Int
  let palette: Palette

  // MARK: Measures, in points

  private let width = 720, margin = 20, names = 128
  private let laneHeight = 26, laneStep = 32, stepHeight = 13
  private let headHeight = 54, axisHeight = 30

  private var left: Int { margin + names }
  private var right: Int { width - margin }
  /// Both panels have one scale, so that lengths can be compared.
  private var end: Int { max(before.length, after.length, 1) }

  private func x(_ time: Int) -> String {
    tenths(Double(left) + Double(right - left) * Double(time) / Double(end))
  }

  // MARK: The picture

  var svg: String {
    var body: [String] = []
    var y = margin
    body += legend(at: y)
    y += 34
    y = panel(
      before, "Two pools",
      "queues on Signalbox\u{2019}s, tasks on the toolchain\u{2019}s", at: y, &body)
    y = panel(after, "One pool", "after SignalboxExecutors.adopt()", at: y + 26, &body)
    let height = y + margin - 8
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" \
      width="\(width)" height="\(height)" role="img" \
      font-family="-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif">
      <title>\(title)</title>
      <rect width="\(width)" height="\(height)" rx="12" fill="\(palette.ground)"/>
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  private var title: String {
    "Which thread runs which item or job when, on \(cores) cores. With two pools "
      + "\(before.threads.count) threads take turns; with one, \(after.threads.count)."
  }

  private func panel(
    _ recording: Recording, _ head: String, _ detail: String, at top: Int, _ body: inout [String]
  ) -> Int {
    body.append(text(head, margin, top + 16, size: 17, weight: 650))
    body.append(text(detail, margin + 104, top + 16, size: 13.5, palette.quiet))
    body.append(text(summary(recording), margin, top + 37, size: 13.5, palette.quiet))
    var y = top + headHeight
    for thread in recording.threads {
      body += lane(recording.pieces.filter { $0.thread == thread }, at: y)
      y += laneStep
    }
    y = steps(recording, at: y + 8, &body)
    body += axis(at: y)
    return y + axisHeight
  }

  private func summary(_ recording: Recording) -> String {
    let item = tenths(Double(recording.medianItem) / 1_000)
    let times = recording.interruptions
    let lost =
      switch times {
      case 0: "no piece of work loses its core"
      case 1: "once a piece of work loses its core"
      default: "\(times) times a piece of work loses its core"
      }
    return "\(recording.threads.count) threads on \(cores) cores; \(lost); "
      + "an item of \(Load.length / 1_000) ms takes \(item) ms"
  }

  // MARK: A lane

  private func lane(_ pieces: [Piece], at y: Int) -> [String] {
    var marks = [
      rect("\(left)", y, "\(right - left)", laneHeight, palette.lane, radius: 4),
      text(pieces.first?.name ?? "", margin, y + 18, size: 13, isCode: true),
    ]
    for piece in pieces {
      let colour = palette.colour(piece.kind)
      // The whole of it, pale; then where the thread has a core.
      marks.append(bar(piece.start, piece.end, y + 9, laneHeight - 18, colour, opacity: 0.35))
      for span in piece.onCore {
        marks.append(bar(span.start, span.end, y + 3, laneHeight - 6, colour))
      }
    }
    return marks
  }

  private func bar(
    _ start: Int, _ end: Int, _ y: Int, _ height: Int, _ colour: String, opacity: Double = 1
  ) -> String {
    // A line of ground between neighbours.
    let length = Double(right - left) * Double(end - start) / Double(self.end) - 1
    return rect(
      x(start), y, tenths(max(length, 0.6)), height, colour, radius: 2.5, opacity: opacity)
  }

  // MARK: How many want a core

  private func steps(_ recording: Recording, at top: Int, _ body: inout [String]) -> Int {
    let most = max(recording.mostAtOnce, cores)
    let bottom = top + most * stepHeight
    func y(_ count: Int) -> Int { bottom - count * stepHeight }
    for (step, next) in zip(recording.steps, recording.steps.dropFirst()) where step.count > 0 {
      let from = x(step.time)
      let length = tenths(Double(right - left) * Double(next.time - step.time) / Double(end))
      let fitting = min(step.count, cores)
      body.append(
        rect(from, y(fitting), length, fitting * stepHeight, palette.quiet, opacity: 0.45))
      if step.count > cores {
        let over = (step.count - cores) * stepHeight
        body.append(rect(from, y(step.count), length, over, palette.alarm, opacity: 0.75))
      }
    }
    body.append(
      "<line x1=\"\(left)\" x2=\"\(right)\" y1=\"\(y(cores))\" y2=\"\(y(cores))\" "
        + "stroke=\"\(palette.text)\" stroke-width=\"1\" stroke-dasharray=\"3 3\"/>")
    body.append(text("want a core", margin, y(cores) + 13, size: 13, palette.quiet))
    body.append(
      text("\(cores) cores", left - 8, y(cores) + 4, size: 11, palette.quiet, anchor: "end"))
    return bottom
  }

  private func axis(at y: Int) -> [String] {
    let step = 10_000
    var marks: [String] = []
    for time in stride(from: 0, through: end, by: step) {
      marks.append(
        "<line x1=\"\(x(time))\" x2=\"\(x(time))\" y1=\"\(y + 3)\" y2=\"\(y + 8)\" "
          + "stroke=\"\(palette.quiet)\"/>")
      marks.append(
        "<text x=\"\(x(time))\" y=\"\(y + 21)\" font-size=\"11\" text-anchor=\"middle\" "
          + "fill=\"\(palette.quiet)\">\(time / 1_000)\(time == 0 ? " ms" : "")</text>")
    }
    return marks
  }

  // MARK: Legend

  private func legend(at y: Int) -> [String] {
    var marks: [String] = []
    var x = margin
    func entry(_ words: String, _ swatch: (String) -> [String]) {
      marks += swatch("\(x)")
      marks.append(text(words, x + 30, y + 13, size: 13))
      x += 48 + words.count * 7
    }
    entry("item of a queue") { [rect($0, y, "22", 18, palette.item, radius: 2.5)] }
    entry("job of a task") { [rect($0, y, "22", 18, palette.job, radius: 2.5)] }
    entry("waits for a core") {
      [rect($0, y + 6, "22", 6, palette.item, radius: 2.5, opacity: 0.35)]
    }
    entry("more threads than cores") { [rect($0, y + 3, "22", 12, palette.alarm, opacity: 0.75)] }
    return marks
  }

  // MARK: Elements

  private func rect(
    _ x: String, _ y: Int, _ width: String, _ height: Int, _ colour: String, radius: Double = 0,
    opacity: Double = 1
  ) -> String {
    let round = radius == 0 ? "" : " rx=\"\(radius)\""
    let faint = opacity == 1 ? "" : " opacity=\"\(opacity)\""
    return
      "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\"\(round) "
      + "fill=\"\(colour)\"\(faint)/>"
  }

  private func text(
    _ words: String, _ x: Int, _ y: Int, size: Double, _ colour: String? = nil, weight: Int = 400,
    anchor: String = "start", isCode: Bool = false
  ) -> String {
    let family = isCode ? " font-family=\"ui-monospace, Menlo, 'DejaVu Sans Mono', monospace\"" : ""
    return
      "<text x=\"\(x)\" y=\"\(y)\" font-size=\"\(size)\" font-weight=\"\(weight)\" "
      + "text-anchor=\"\(anchor)\" fill=\"\(colour ?? palette.text)\"\(family)>\(words)</text>"
  }
}

/// With one decimal.
private func tenths(_ number: Double) -> String {
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
