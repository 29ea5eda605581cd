// Said — what a process said at its end, compared with what an article quotes.
//
// Numbers of threads differ from run to run, and so may the thread that a circle is told from: so
// words are compared as a set, each number as N.

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
    text.split { " \n,.:".contains($0) }.map { word in
      String(word.reduce(into: "") { $0 += $1.isNumber ? ($0.hasSuffix("N") ? "" : "N") : "\($1)" })
    }.sorted()
  }
}
