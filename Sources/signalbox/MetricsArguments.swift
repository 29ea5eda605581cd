// MetricsArguments — parses the arguments of `signalbox metrics`.

enum MetricsArguments {
  case help
  /// The arguments are wrong; the text says why.
  case wrong(String)
  case metrics(MetricsRequest)

  init(_ words: ArraySlice<String>) {
    var processes: [Int32] = []
    var address: ListeningAddress?
    var rest = words
    while let word = rest.popFirst() {
      switch word {
      case "-h", "--help":
        self = .help
        return
      case "--listen":
        guard let text = rest.popFirst() else {
          self = .wrong("--listen needs an address and a port")
          return
        }
        guard let parsed = ListeningAddress(text), address == nil else {
          self = .wrong(
            address == nil ? "\(text) is no address with a port" : "one address at a time")
          return
        }
        address = parsed
      case _ where word.hasPrefix("-"):
        self = .wrong("there is no option \(word)")
        return
      default:
        guard let number = Int32(word), number > 0 else {
          self = .wrong("\(word) is not the number of a process")
          return
        }
        if !processes.contains(number) { processes.append(number) }
      }
    }
    if processes.isEmpty {
      self = .wrong("which process?")
    } else {
      self = .metrics(MetricsRequest(processes: processes, address: address))
    }
  }
}
