// Said — what a process said at its end, compared with what an article quotes.
//
// Numbers of threads and what stands in parentheses, names and times, differ from run to run, and
// so may the thread that a circle is told from: so the words outside are compared without an
// order, each digit as N.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

enum Said {
  /// Ends the process well when a deadlock stands in the report of who waits: it has been said
  /// by then.
  static func endWhenReported() {
    alarm(UInt32(RealTime.wedge.components.seconds))
    let watch = try? PlainThread {
      while !BlockedReport.text().contains("deadlock: ") { letRealTimePass(.milliseconds(1)) }
      exit(EXIT_SUCCESS)
    }
    if watch == nil { exit(3) }
  }

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
