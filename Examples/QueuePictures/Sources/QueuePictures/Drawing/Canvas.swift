// Canvas — the elements of an SVG.

struct Canvas {
  private(set) var body: [String] = []

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ fill: String,
    radius: Double = 0, stroke: String? = nil, opacity: Double = 1
  ) {
    let round = radius == 0 ? "" : " rx=\"\(Canvas.text(radius))\""
    let faint = opacity == 1 ? "" : " opacity=\"\(opacity)\""
    let border = stroke.map { " stroke=\"\($0)\"" } ?? ""
    body.append(
      "<rect x=\"\(Canvas.text(x))\" y=\"\(Canvas.text(y))\" width=\"\(Canvas.text(width))\" "
        + "height=\"\(Canvas.text(height))\"\(round) fill=\"\(fill)\"\(border)\(faint)/>")
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ stroke: String, width: Double = 1,
    dashes: String? = nil
  ) {
    let pattern = dashes.map { " stroke-dasharray=\"\($0)\"" } ?? ""
    body.append(
      "<line x1=\"\(Canvas.text(x1))\" y1=\"\(Canvas.text(y1))\" x2=\"\(Canvas.text(x2))\" "
        + "y2=\"\(Canvas.text(y2))\" stroke=\"\(stroke)\" stroke-width=\"\(Canvas.text(width))\""
        + "\(pattern)/>")
  }

  mutating func circle(_ x: Double, _ y: Double, _ radius: Double, _ fill: String) {
    body.append(
      "<circle cx=\"\(Canvas.text(x))\" cy=\"\(Canvas.text(y))\" r=\"\(Canvas.text(radius))\" "
        + "fill=\"\(fill)\"/>")
  }

  mutating func words(
    _ text: String, _ x: Double, _ y: Double, size: Double, _ fill: String,
    anchor: String = "start",
    weight: Int = 400
  ) {
    body.append(
      "<text x=\"\(Canvas.text(x))\" y=\"\(Canvas.text(y))\" font-size=\"\(Canvas.text(size))\" "
        + "text-anchor=\"\(anchor)\" font-weight=\"\(weight)\" fill=\"\(fill)\">"
        + "\(Canvas.escaped(text))</text>")
  }

  /// About how wide a text is.
  static func width(_ text: String, size: Double) -> Double { Double(text.count) * size * 0.56 }

  static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: String(character)
      }
    }.joined()
  }

  /// With one decimal.
  static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    return tenths.magnitude % 10 == 0
      ? "\(sign)\(tenths.magnitude / 10)"
      : "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }
}
