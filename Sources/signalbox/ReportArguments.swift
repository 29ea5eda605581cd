// ReportArguments — parses the arguments of `signalbox report`.

enum ReportArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case report(ReportRequest)

  init(_ words: ArraySlice<String>) {
    var subjects: [String] = []
    var core: String?
    var isJSON = false
    var rest = words
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help":
        self = .help
        return
      case "--json": isJSON = true
      case "--core":
        guard core == nil, let path = rest.popFirst(), !path.isEmpty else {
          self = .wrong(core == nil ? "which core?" : "one core at a time")
          return
        }
        core = path
      case "--":
        subjects += rest
        rest = []
      case _ where word.hasPrefix("-"):
        self = .wrong("there is no option \(word)")
        return
      default: subjects.append(word)
      }
    }
    switch ReportArguments.subject(core, subjects) {
    case .success(let subject): self = .report(ReportRequest(subject: subject, isJSON: isJSON))
    case .failure(let problem): self = .wrong(problem.text)
    }
  }

  private struct Problem: Error {
    let text: String
  }

  private static func subject(
    _ core: String?, _ words: [String]
  ) -> Result<ReportRequest.Subject, Problem> {
    if let core {
      return words.count < 2
        ? .success(.core(core, program: words.first))
        : .failure(Problem(text: "a core has one program"))
    }
    guard let word = words.first else { return .failure(Problem(text: "which process?")) }
    guard let number = Int32(word), number > 0 else {
      return .failure(Problem(text: "\(word) is not the number of a process"))
    }
    return words.count == 1
      ? .success(.process(number)) : .failure(Problem(text: "one process at a time"))
  }
}
