// RunArguments — parses the arguments of `signalbox run`.

enum RunArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case run(RunRequest)

  init(_ words: ArraySlice<String>) {
    var rest = words
    var options: RunRequest.Options = []
    var trace: String?
    var stallLimit: UInt64?
    while let word = rest.first, word.hasPrefix("-") {
      rest = rest.dropFirst()
      if word == "--" { break }
      switch word {
      case "-h", "--help":
        self = .help
        return
      case "--verbose": options.insert(.verbose)
      case "--children": options.insert(.children)
      case "--late": options.insert(.late)
      case "--trace":
        guard let file = rest.popFirst(), !file.isEmpty else {
          self = .wrong("which file for the recording?")
          return
        }
        trace = file
      case "--report-on-stall":
        let text = rest.popFirst() ?? ""
        guard let time = LengthOfTime.nanoseconds(text) else {
          self = .wrong("\(text.isEmpty ? "nothing" : text) is no time such as 500ms, 10s or 2m")
          return
        }
        stallLimit = time
      default:
        self = .wrong("there is no option \(word)")
        return
      }
    }
    guard let program = rest.first, !program.isEmpty else {
      self = .wrong("which program?")
      return
    }
    self = .run(
      RunRequest(command: Array(rest), options: options, trace: trace, stallLimit: stallLimit))
  }
}
