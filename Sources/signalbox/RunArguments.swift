// RunArguments — parses the arguments of `signalbox run`.

enum RunArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case run(RunRequest)

  init(_ words: ArraySlice<String>) {
    var rest = words
    var options: RunRequest.Options = []
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
      default:
        self = .wrong("there is no option \(word)")
        return
      }
    }
    guard let program = rest.first, !program.isEmpty else {
      self = .wrong("which program?")
      return
    }
    self = .run(RunRequest(command: Array(rest), options: options))
  }
}
