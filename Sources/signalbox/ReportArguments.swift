// ReportArguments — parses the arguments of `signalbox report` and `signalbox ps`.

enum ReportArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case report(ReportRequest)

  init(_ words: ArraySlice<String>) {
    var process: Int32?
    var isJSON = false
    for word in words {
      switch word {
      case "-h", "--help":
        self = .help
        return
      case "--json": isJSON = true
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
    self = .report(ReportRequest(process: process, isJSON: isJSON))
  }
}
