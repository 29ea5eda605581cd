// Said — what a process said at its end, compared with what an article quotes.
//
// Numbers of threads and what stands in parentheses, names and times, differ from run to run, and
// so may the thread that a circle is told from: so the words outside are compared without an
// order, each digit as N.

import Testing

enum Said {
  static func expect(
    _ output: [UInt8]?, _ quoted: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: output ?? [], as: UTF8.self)
    let heard = text.split(separator: "\n").filter { $0.contains("SIGNALBOX: ") }
    #expect(
      words(heard.joined(separator: " ")) == words(quoted), "\(text)",
      sourceLocation: sourceLocation)
  }

  static func words(_ text: String) -> [String] {
    var plain = ""
    var depth = 0
    for character in text {
      depth += character == "(" ? 1 : 0
      if depth == 0 { plain.append(character.isNumber ? "N" : character) }
      depth -= character == ")" ? 1 : 0
    }
    return plain.split { " \n,.:".contains($0) }.map(String.init).sorted()
  }
}
