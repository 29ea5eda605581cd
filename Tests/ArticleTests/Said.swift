// Said — compares what a process printed at its end with what an article quotes.
//
// Thread numbers, names and times in parentheses differ from run to run, and a report may start
// the cycle at any thread. So the words outside of parentheses are compared without their order,
// and each digit counts as N.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

enum Said {
  /// Ends the process with success when the report of waiting threads contains a deadlock,
  /// which has been printed by then.
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
