// Arguments — parses the command line.

enum Arguments: Equatable {
  case help
  case summary(of: String)
  case advice(on: String)
  case export(of: String, to: String)
  /// Only checks whether the file can be written.
  case check(of: String)
  /// The arguments are wrong; the text says why.
  case wrong(String)

  init(_ words: some Sequence<String>) {
    var input: String?
    var wantsAdvice = false
    var wantsCheck = false
    var output: String?
    var mayBeOptions = true
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--" where mayBeOptions: mayBeOptions = false
      case "-h" where mayBeOptions, "--help" where mayBeOptions:
        self = .help
        return
      case "--check" where mayBeOptions: wantsCheck = true
      case "-o" where mayBeOptions:
        guard output == nil, let path = words.next(), !path.isEmpty else {
          self = .wrong(output == nil ? "-o needs the name of a file" : "-o is given twice")
          return
        }
        output = path
      case _ where mayBeOptions && word.hasPrefix("-"):
        self = .wrong("there is no option \(word)")
        return
      // A recording's name has an extension. To open a file that is named
      // "advice", write ./advice.
      case "advice" where mayBeOptions && input == nil && !wantsAdvice: wantsAdvice = true
      case _ where input != nil:
        self = .wrong("more than one recording: \(word)")
        return
      default: input = word
      }
    }
    if wantsCheck {
      self =
        input == nil && !wantsAdvice && output != nil
        ? .check(of: output!) : .wrong("--check takes -o and the name of a file, and no recording")
      return
    }
    guard let input else {
      self = .wrong("which recording?")
      return
    }
    if wantsAdvice {
      self = output == nil ? .advice(on: input) : .wrong("advice is printed, and takes no -o")
      return
    }
    self = output.map { .export(of: input, to: $0) } ?? .summary(of: input)
  }
}
