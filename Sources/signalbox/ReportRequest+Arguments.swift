// ReportRequest+Arguments — reads the arguments of `signalbox report`.

extension ReportRequest {
  init(_ arguments: consuming Arguments) throws(UsageProblem) {
    var words: [String] = []
    var core: String?
    var symbols: String?
    var isJSON = false
    while let word = try arguments.next() {
      switch word {
      case "--json": isJSON = true
      case "--core":
        if core != nil { throw .wrong("one core at a time") }
        core = try arguments.value(orSay: "which core?")
      case "--symbols":
        if symbols != nil { throw .wrong("one file with symbols at a time") }
        symbols = try arguments.value(orSay: "the symbols of which file?")
      case "--": words += arguments.takeRest()
      default:
        try Arguments.refuseOption(word)
        words.append(word)
      }
    }
    self.init(subject: try ReportRequest.subject(core, words), symbols: symbols, isJSON: isJSON)
  }

  private static func subject(
    _ core: String?, _ words: [String]
  ) throws(UsageProblem) -> Subject {
    if let core {
      if words.count > 1 { throw .wrong("a core has one program") }
      return .core(core, program: words.first)
    }
    guard let word = words.first else { throw .wrong("which process?") }
    if words.count > 1 { throw .wrong("one process at a time") }
    return .process(try Arguments.process(word))
  }
}
