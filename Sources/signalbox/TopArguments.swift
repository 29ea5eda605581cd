// TopArguments — parses the arguments of `signalbox top`.

enum TopArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case top(TopRequest)

  init(_ words: ArraySlice<String>) {
    var process: Int32?
    for word in words {
      switch word {
      case "-h", "--help":
        self = .help
        return
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
    self = .top(TopRequest(process: process))
  }
}
