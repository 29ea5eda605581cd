// Trap — what every test of a misuse looks at: the process failed, and said why.

import CountedFacts
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

  /// As ``arm()``, before a body that may use what only a synchronous one may: the
  /// body of an exit test is not.
  static func arm(_ body: () throws -> Void) rethrows {
    arm()
    try body()
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
    expectMessage(in: String(decoding: output ?? [], as: UTF8.self), words, sourceLocation)
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

  // MARK: Deadlocks

  /// Other threads are about to trap.
  static func waitForIt() -> Never {
    while true { pause() }
  }

  /// What a scenario of `CountedFacts` that ends in a trap wrote.
  static func output(of scenario: any CountedScenario) throws -> String {
    let outcome = try ChildProgram.run(
      scenario, environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == .signal(SIGABRT))
    return outcome.standardError
  }

  /// Expects one message, of so many threads, that waits for the queues with
  /// these labels one after the other; with whichever of them it begins.
  static func expectCycle(
    _ output: [UInt8]?, threads: Int, _ labels: [String], says words: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = String(decoding: output ?? [], as: UTF8.self)
    expectMessage(in: text, ["deadlock: thread", "(kernel "] + labels + words, sourceLocation)
    let parts = text.split(separator: " waits ", omittingEmptySubsequences: false)
    #expect(parts.count - 1 == threads, "\(text)", sourceLocation: sourceLocation)
    let found = parts.dropFirst().compactMap { part -> String? in
      let quoted = part.split(separator: "\"", omittingEmptySubsequences: false)
      return part.hasPrefix("in sync, for the queue \"") ? String(quoted[1]) : nil
    }
    let begin = labels.first.flatMap { found.firstIndex(of: $0) } ?? 0
    let rotated = Array(found[begin...] + found[..<begin])
    #expect(rotated == labels, "\(text)", sourceLocation: sourceLocation)
  }
}
