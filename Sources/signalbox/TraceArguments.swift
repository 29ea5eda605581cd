// TraceArguments — parses the arguments of `signalbox trace`.

enum TraceArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case trace(TraceRequest)

  init(_ words: ArraySlice<String>) {
    var process: Int32?
    var duration: UInt64?
    var output: String?
    var rest = words
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help":
        self = .help
        return
      case "-d":
        guard duration == nil, let text = rest.popFirst() else {
          self = .wrong(duration == nil ? "-d needs a time" : "-d is given twice")
          return
        }
        guard let time = TraceArguments.time(text) else {
          self = .wrong("\(text) is not a time: write 500ms, 5s or 2m, at most 60m")
          return
        }
        duration = time
      case "-o":
        guard output == nil, let path = rest.popFirst(), !path.isEmpty else {
          self = .wrong(output == nil ? "-o needs the name of a file" : "-o is given twice")
          return
        }
        output = path
      case _ where word.hasPrefix("-"):
        self = .wrong("there is no option \(word)")
        return
      default:
        guard process == nil, let number = Int32(word), number > 0 else {
          self = .wrong(
            process == nil ? "\(word) is not the number of a process" : "one process at a time")
          return
        }
        process = number
      }
    }
    guard let process else {
      self = .wrong("which process?")
      return
    }
    self = .trace(
      TraceRequest(process: process, duration: duration ?? TraceRequest.usual, output: output))
  }

  /// The unit's length, in nanoseconds.
  private static let units: [(name: String, length: UInt64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]

  /// A time in nanoseconds: "500ms", "5s", "2m".
  private static func time(_ text: String) -> UInt64? {
    guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
    let digits = text.dropLast(unit.name.utf8.count)
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = UInt64(digits), count > 0
    else { return nil }
    let (time, isTooMuch) = count.multipliedReportingOverflow(by: unit.length)
    return isTooMuch || time > TraceRequest.longest ? nil : time
  }
}
