// Trap — what every test of a misuse looks at: the process failed, and said why.

import Glibc
import SignalboxTestSupport
import Testing

enum Trap {
  /// What stands before the message of every trap for a fault of the client.
  static let prefix = "BUG IN CLIENT OF SIGNALBOX: "

  /// Called first in the body of an exit test: a misuse that hangs rather than
  /// traps ends here, without a message, and so fails.
  static func arm() {
    alarm(UInt32(RealTime.wedge.components.seconds))
  }

  /// The body came to its end although a trap stood in its way.
  static func notReached() -> Never {
    StandardError.print("no trap")
    exit(EXIT_SUCCESS)
  }

  /// Expects one message of a trap in what the process wrote, and in it each of
  /// the words, in either case: the object's name, what was done, what to do.
  static func expect(
    _ output: [UInt8]?, says words: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: output ?? [], as: UTF8.self)
    expectMessage(in: text, words, sourceLocation)
  }

  static func expectMessage(
    in text: String, _ words: [String], _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let parts = text.split(separator: prefix, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      Issue.record("\(parts.count - 1) messages in: \(text)", sourceLocation: sourceLocation)
      return
    }
    let message = parts[1].lowercased()
    for word in words where !message.contains(word.lowercased()) {
      Issue.record("“\(word)” is not in: \(parts[1])", sourceLocation: sourceLocation)
    }
  }
}
