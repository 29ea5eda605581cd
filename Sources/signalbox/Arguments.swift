// Arguments — the words behind a command, one after the other.

/// Why the words are not carried out.
enum UsageProblem: Error {
  /// They ask for help.
  case help
  /// They are wrong; the text says why.
  case wrong(String)
}

struct Arguments {
  private var rest: ArraySlice<String>

  init(_ words: ArraySlice<String>) { rest = words }

  /// The next word; nil behind the last one.
  mutating func next() throws(UsageProblem) -> String? {
    let word = rest.popFirst()
    if word == "-h" || word == "--help" { throw .help }
    return word
  }

  /// The next word, if it is an option. "--" ends the options.
  mutating func nextOption() throws(UsageProblem) -> String? {
    guard rest.first?.hasPrefix("-") == true, let word = try next(), word != "--" else {
      return nil
    }
    return word
  }

  /// The word that belongs to an option.
  mutating func value(orSay problem: String) throws(UsageProblem) -> String {
    guard let word = rest.popFirst(), !word.isEmpty else { throw .wrong(problem) }
    return word
  }

  /// All words that are left.
  mutating func takeRest() -> [String] {
    defer { rest = [] }
    return Array(rest)
  }

  /// A word that must be the number of a process.
  static func process(_ word: String) throws(UsageProblem) -> Int32 {
    try refuseOption(word)
    guard let number = Int32(word), number > 0 else {
      throw .wrong("\(word) is not the number of a process")
    }
    return number
  }

  static func refuseOption(_ word: String) throws(UsageProblem) {
    if word.hasPrefix("-") { throw .wrong("there is no option \(word)") }
  }
}
