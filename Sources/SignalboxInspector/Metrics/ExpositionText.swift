// ExpositionText — metrics in Prometheus' text format.
//
// The samples of a family come together, after its help and its type. The values of their labels
// come from the inspected program, so they are escaped.
//
// Sources     "Exposition formats" in Prometheus' documentation, version 0.0.4 of the text format.

package struct ExpositionText {
  /// For the header `Content-Type`.
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private var samples: [MetricFamily: [String]] = [:]
  /// The names and labels of the samples.
  private var series: Set<String> = []

  package init() {}

  /// Adds a sample, unless the family has one with the same labels: damaged memory may show one
  /// pool several times.
  ///
  /// - Parameters:
  ///   - labels: names and values.
  ///   - value: a number in the format's form.
  mutating func add(_ family: MetricFamily, _ labels: [(String, String)], _ value: String) {
    add(family, "", labels, value)
  }

  /// Adds a histogram: for each bound, how many durations do not exceed it; then their sum and
  /// their count.
  mutating func add(
    _ family: MetricFamily, _ labels: [(String, String)], _ histogram: SeenHistogram
  ) {
    let count = "\(histogram.count)"
    for bit in stride(from: 10, through: 34, by: 2) {
      let bound = ExpositionText.seconds(1 << UInt64(bit))
      add(family, "_bucket", labels + [("le", bound)], "\(histogram.count(upToBit: bit))")
    }
    add(family, "_bucket", labels + [("le", "+Inf")], count)
    add(family, "_sum", labels, ExpositionText.seconds(histogram.sum))
    add(family, "_count", labels, count)
  }

  private mutating func add(
    _ family: MetricFamily, _ end: String, _ labels: [(String, String)], _ value: String
  ) {
    let words = labels.map { "\($0.0)=\"\(ExpositionText.escaped($0.1))\"" }
    add(family, "\(family.rawValue)\(end){\(words.joined(separator: ","))}", value)
  }

  private mutating func add(_ family: MetricFamily, _ name: String, _ value: String) {
    guard series.insert(name).inserted else { return }
    samples[family, default: []].append("\(name) \(value)\n")
  }

  /// All samples on one line, separated by tabs. The samples contain no tabs or line ends, because
  /// labels have no control characters.
  package var line: String {
    let lines = MetricFamily.allCases.flatMap { samples[$0] ?? [] }
    return lines.map { String($0.dropLast()) }.joined(separator: "\t")
  }

  /// Adds the samples of a line that the property `line` returned.
  package mutating func add(line: String) {
    for sample in line.split(separator: "\t") {
      guard let end = sample.lastIndex(of: " "),
        let family = MetricFamily(sample: String(sample.prefix { $0 != "{" }))
      else { continue }
      add(family, String(sample[..<end]), String(sample[sample.index(after: end)...]))
    }
  }

  package var text: String {
    var text = ""
    for family in MetricFamily.allCases {
      guard let samples = samples[family] else { continue }
      text += "# HELP \(family.rawValue) \(family.help)\n"
      text += "# TYPE \(family.rawValue) \(family.type)\n"
      text += samples.joined()
    }
    return text
  }

  /// Escapes the characters that have a meaning of their own in the value of a label.
  static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Nanoseconds in seconds, exactly.
  static func seconds(_ nanoseconds: UInt64) -> String {
    let rest = String(nanoseconds % 1_000_000_000)
    let zeros = String(repeating: "0", count: 9 - rest.count)
    return "\(nanoseconds / 1_000_000_000).\(zeros)\(rest)"
  }
}
