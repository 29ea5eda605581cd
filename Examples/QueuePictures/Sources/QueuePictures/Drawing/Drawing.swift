// Drawing — a run as an SVG: its steps above, then the queues, then the threads, over time.

struct Drawing {
  let scene: Scene
  let run: RecordedRun
  let matches: [StepMatch]
  let palette: Palette

  // MARK: Measures, in points

  let width = 760.0, margin = 18.0, names = 122.0
  let rowHeight = 19.0, rowStep = 22.0
  var left: Double { margin + names }
  var right: Double { width - margin }
  /// Where the time ends: there is room for words behind it where items are drawn in pieces.
  var end: Double { scene.pieces.isEmpty ? right : right - 150 }

  /// The items that are drawn, in the order of their submission.
  var items: [RecordedRun.Item] {
    run.items.filter { !$0.name.isEmpty && $0.started >= 0 && $0.finished >= 0 }
  }

  /// What is drawn of the time: all that the scene consists of.
  var times: ClosedRange<Int> {
    let all =
      items.flatMap { [$0.submitted < 0 ? $0.started : $0.submitted, $0.finished] }
      + run.passes.flatMap { [$0.began, $0.ended] } + matches.flatMap { $0.events.map(\.time) }
    let first = all.filter { $0 >= 0 }.min() ?? 0
    return first...max(first + 1, all.max() ?? 0)
  }

  func x(_ time: Int) -> Double {
    let (first, last) = (times.lowerBound, times.upperBound)
    return left + 4 + (end - left - 8) * Double(min(max(time, first), last) - first)
      / Double(last - first)
  }

  // MARK: The picture

  /// The picture, and where in it its lanes are.
  struct Picture: Sendable {
    let svg: String
    let top, bottom: Double
    /// The middle of each thread's lane.
    let threads: [Int: Double]
  }

  var svg: String { picture.svg }

  var picture: Picture {
    var canvas = Canvas()
    let top = margin + 44
    var lanes = Canvas()
    var y = top
    if !queues.isEmpty {
      heading("Queues", at: &y, &lanes)
      for queue in queues { y = lane(queue, at: y, &lanes) }
      y += 8
    }
    heading("Threads", at: &y, &lanes)
    var middles: [Int: Double] = [:]
    for thread in threads {
      let above = y
      y = lane(thread: thread, at: y, &lanes)
      middles[thread] = (above + y - 4) / 2
    }
    let bottom = y
    axis(at: bottom + 4, &lanes)
    legend(at: bottom + 40, &lanes)
    steps(from: margin + 12, to: bottom, &canvas)
    let height = bottom + 66
    let svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Canvas.text(width)) \
      \(Canvas.text(height))" width="\(Canvas.text(width))" height="\(Canvas.text(height))" \
      role="img" font-family="-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, \
      sans-serif">
      <title>\(Canvas.escaped(scene.title))</title>
      <defs><pattern id="blocked" width="6" height="6" patternUnits="userSpaceOnUse" \
      patternTransform="rotate(45)"><rect width="6" height="6" fill="\(palette.blockedGround)"/>\
      <rect width="2.4" height="6" fill="\(palette.blocked)"/></pattern></defs>
      <rect width="\(Canvas.text(width))" height="\(Canvas.text(height))" rx="12" \
      fill="\(palette.ground)"/>
      \((lanes.body + canvas.body).joined(separator: "\n"))
      </svg>

      """
    return Picture(svg: svg, top: top, bottom: bottom, threads: middles)
  }

  private func heading(_ words: String, at y: inout Double, _ canvas: inout Canvas) {
    canvas.words(words, margin, y + 12, size: 12, palette.quiet, weight: 600)
    y += 20
  }

  /// The main queue first, the others as they were used.
  private var queues: [String] {
    var seen: [String] = []
    for item in items where !seen.contains(item.queue) { seen.append(item.queue) }
    return seen.filter { $0 == Drawing.mainQueue } + seen.filter { $0 != Drawing.mainQueue }
  }

  static let mainQueue = "com.apple.main-thread"

  /// The main thread first, the others as they began to work.
  var threads: [Int] {
    var seen: [Int] = []
    for item in items.sorted(by: { $0.started < $1.started }) where !seen.contains(item.runner) {
      seen.append(item.runner)
    }
    for pass in run.passes where !seen.contains(pass.thread) { seen.append(pass.thread) }
    return seen.filter { run.threads[$0].isMain } + seen.filter { !run.threads[$0].isMain }
  }

  // MARK: Steps

  /// A number for each step, at its first event, with a line through all lanes.
  private func steps(from y: Double, to bottom: Double, _ canvas: inout Canvas) {
    let points = matches.map { x($0.events.first?.time ?? 0) }
    var places = points
    // No two circles on each other: pushed apart to the right, then back to the left.
    let apart = 21.0
    for place in places.indices.dropFirst() {
      places[place] = max(places[place], places[place - 1] + apart)
    }
    if let last = places.indices.last { places[last] = min(places[last], right - 10) }
    for place in places.indices.dropLast().reversed() {
      places[place] = min(places[place], places[place + 1] - apart)
    }
    for (number, (point, place)) in zip(points, places).enumerated() {
      canvas.line(place, y, point, y + 26, palette.accent)
      canvas.line(point, y + 26, point, bottom, palette.accent, dashes: "2 3")
      canvas.circle(place, y, 9.5, palette.accent)
      canvas.words(
        "\(number + 1)", place, y + 4, size: 11.5, palette.accentInk, anchor: "middle", weight: 700)
    }
  }

  private func axis(at y: Double, _ canvas: inout Canvas) {
    let length = Double(times.upperBound - times.lowerBound)
    let step =
      [100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000]
      .first { length / Double($0) <= 12 } ?? 200_000_000
    for time in stride(from: 0, through: times.upperBound - times.lowerBound, by: step) {
      let place = x(times.lowerBound + time)
      canvas.line(place, y, place, y + 5, palette.quiet)
      let text = Canvas.text(Double(time) / 1_000_000)
      canvas.words(
        time == 0 ? "0 ms" : text, place, y + 17, size: 11, palette.quiet, anchor: "middle")
    }
  }

  private func legend(at y: Double, _ canvas: inout Canvas) {
    var place = margin
    func entry(_ words: String, _ swatch: (inout Canvas, Double) -> Void) {
      swatch(&canvas, place)
      canvas.words(words, place + 30, y + 11, size: 12, palette.text)
      place += 46 + Canvas.width(words, size: 12)
    }
    if !items.isEmpty {
      entry("waits in its queue") { waiting($1, $1 + 24, y, &$0) }
      entry("runs") { $0.rectangle($1, y, 24, 14, palette.run, radius: 2.5) }
    }
    if items.contains(where: \.isSync) {
      entry("runs, by sync") { $0.rectangle($1, y, 24, 14, palette.sync, radius: 2.5) }
    }
    if items.contains(where: \.isBarrier) {
      entry("runs alone") { $0.rectangle($1, y, 24, 14, palette.barrier, radius: 2.5) }
    }
    if run.waits.contains(where: isDrawn) {
      entry("blocked") { blocked($1, $1 + 24, y, 14, &$0) }
    }
    if !run.passes.isEmpty {
      entry("a pass") {
        $0.rectangle($1, y, 24, 14, palette.ground, radius: 2.5, stroke: palette.quiet)
      }
      entry("from the observers' step to the work") {
        $0.rectangle($1, y, 24, 14, palette.span, radius: 2.5)
      }
    }
    entry("a step") { $0.circle($1 + 12, y + 7, 7, palette.accent) }
  }
}
