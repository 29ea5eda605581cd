// Reported — what every test of a deadlock that another thread may still end looks at: the
// process reported it once, and continued.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

enum Reported {
  /// What stands before such a message.
  static let prefix = "SIGNALBOX: deadlock: "

  /// Called first in the body of an exit test: ends the process well when a deadlock stands in
  /// the report of who waits. A report comes after the message on standard error.
  static func arm() {
    Trap.arm()
    let watch = try? PlainThread {
      while !BlockedReport.text().contains("deadlock: ") { letRealTimePass(.milliseconds(1)) }
      exit(EXIT_SUCCESS)
    }
    if watch == nil { exit(3) }
  }

  /// Expects one message in which as many threads wait as there are names, and in it
  /// each name.
  static func expectThings(
    _ output: [UInt8]?, _ names: [String], says words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = expectMessage(output, ["thread", "(kernel "] + names + words, sourceLocation)
    let waits = text.split(separator: " waits ", omittingEmptySubsequences: false).count - 1
    #expect(waits == names.count, "\(text)", sourceLocation: sourceLocation)
  }

  /// Expects one message, and in it each of the words, in either case.
  @discardableResult
  static func expectMessage(
    _ output: [UInt8]?, _ words: [String], _ sourceLocation: SourceLocation = #_sourceLocation
  ) -> String {
    let text = String(decoding: output ?? [], as: UTF8.self)
    #expect(!text.contains(Trap.prefix), "\(text)", sourceLocation: sourceLocation)
    let parts = text.split(separator: prefix, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      Issue.record("\(parts.count - 1) messages in: \(text)", sourceLocation: sourceLocation)
      return text
    }
    let message = (prefix + parts[1]).lowercased()
    for word in words where !message.contains(word.lowercased()) {
      Issue.record("“\(word)” is not in: \(parts[1])", sourceLocation: sourceLocation)
    }
    return text
  }
}
