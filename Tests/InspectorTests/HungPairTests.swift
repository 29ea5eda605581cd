// HungPairTests — `signalbox report` of two threads that hold two things and wait for each other's, for every
// pair of things.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct HungPairTests {
  struct Pair: CustomTestStringConvertible {
    let first: HungThing
    let second: HungThing
    var testDescription: String { "\(first) and \(second)" }

    /// A semaphore has no holder. So its waiter is named, and what it holds up, and no deadlock.
    var isDeadlock: Bool { first != .semaphore && second != .semaphore }

    /// Whether a report names both threads, both things, and who holds them.
    func isNamed(in report: String) -> Bool {
      let lines = report.split(separator: "\n")
      // The first thread holds the first thing and waits for the second one.
      let (one, two) = (second.wait("hung.second"), first.wait("hung.first"))
      guard isDeadlock else {
        return [(one, second), (two, first)].allSatisfy { words, thing in
          lines.contains { $0.contains(words) && $0.contains(thing.holder) }
        }
      }
      return lines.first.map { line in
        line.hasPrefix("deadlock: thread ") && line.contains(one) && line.contains(two)
          && line.contains(first.holder) && line.contains(second.holder)
      } ?? false
    }
  }

  static let pairs = HungThing.allCases.enumerated().flatMap { index, first in
    HungThing.allCases.dropFirst(index).map { Pair(first: first, second: $0) }
  }
  // There is one main thread.
  .filter { $0.first != .main || $0.second != .main }

  @Test(arguments: pairs) func theReportNamesThreadsThingsAndHolders(_ pair: Pair) throws {
    let folder = try TemporaryFolder()
    let program = try LiveProgram(
      ChildProgram("CountedFacts"),
      [HungPairScenario.hungPair.rawValue, pair.first.rawValue, pair.second.rawValue])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let deadline = Uptime.now() + RealTime.wedge
      var text = ""
      repeat {
        let outcome = try ChildProgram("signalbox").run(["report", "\(program.process)"])
        #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
        text = outcome.standardOutput
      } while !pair.isNamed(in: text)
        && Uptime.now() < deadline
      #expect(pair.isNamed(in: text), "\(text)")
      #expect(text.hasPrefix("deadlock: ") == pair.isDeadlock, "\(text)")

      var writer = try CoreWriter(of: program.process)
      let core = "\(folder.path)/core"
      try writer.write(to: core)
      let report = try CoreTarget(core, program: nil).inspect().text
      let isNamed = pair.isNamed(
        in: report.split(separator: "\n").dropFirst().joined(separator: "\n"))
      #expect(isNamed, "\(report)")
    }
  }
}

extension HungThing {
  /// How a report says that a thread waits for the thing.
  fileprivate func wait(_ label: String) -> String {
    switch self {
    case .queue: "waits in sync, for the queue \"\(label)\""
    case .lock: "waits for the NSLock \"\(label)\""
    case .group: "waits for the group at 0x"
    case .join: "waits for the end of thread "
    case .operation: "waits for the end of the operation at 0x"
    case .semaphore: "waits for a signal of the semaphore at 0x"
    case .runLoop: "waits for a block performed by the run loop at 0x"
    case .main: "waits in sync, for the queue \"com.apple.main-thread\""
    }
  }

  /// How it names the thread that holds the thing.
  fileprivate var holder: String {
    switch self {
    case .queue, .lock, .runLoop: ", held by thread "
    case .group, .operation: ", whose work is run by thread "
    // The thread is the thing.
    case .join: "for the end of thread "
    case .semaphore: ", which any thread may give"
    case .main: "the main thread)"
    }
  }
}
