// HungElsewhereTests — `signalbox report` of processes that hang although no thread waits for another one.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct HungElsewhereTests {
  /// Asks for reports of the process until one has what is expected, and then for that of a core.
  private func report(
    _ program: LiveProgram, _ isExpected: (_ report: String, _ isCore: Bool) -> Bool
  ) throws {
    var deadline = Uptime.now() + RealTime.wedge
    var text = ""
    repeat {
      let outcome = try ChildProgram("signalbox").run(["report", "\(program.process)"])
      #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
      text = outcome.standardOutput
    } while !isExpected(text, false)
      && Uptime.now() < deadline
    #expect(isExpected(text, false), "\(text)")

    let folder = try TemporaryFolder()
    let core = "\(folder.path)/core"
    // A thread that runs may be in the middle of a step.
    deadline = Uptime.now() + RealTime.wedge
    repeat {
      var writer = try CoreWriter(of: program.process)
      try writer.write(to: core)
      text = try CoreTarget(core, program: nil).inspect().text
    } while !isExpected(text, true)
      && Uptime.now() < deadline
    #expect(isExpected(text, true), "\(text)")
  }

  private func has(_ report: String, _ words: String...) -> Bool {
    report.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
  }

  /// A number that the program has printed.
  private func number(_ name: String, _ program: LiveProgram) throws -> Int {
    let line = program.text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
    return try #require(line.flatMap { Int($0.dropFirst(name.utf8.count + 1)) })
  }

  /// Two items let each other go first. Each runs all the time, and holds its queue.
  @Test func aLivelockIsSeenByTheQueuesThatItsThreadsServe() throws {
    let program = try LiveProgram(HungScenario.hungLivelock)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try report(program) { text, isCore in
        ["hung.after-you.1", "hung.after-you.2"].allSatisfy { label in
          has(text, "the queue \"\(label)\" (serial) holds no item; thread ", " serves it")
            && has(
              text, "thread ", ", on the queue \"\(label)\", ",
              isCore ? "did not wait in a call of Signalbox" : "runs, or is ready to run")
        }
      }
    }
  }

  /// All workers compute without end, and there may be no more.
  @Test func aStarvedPoolIsSeenByItsWorkersAndByWhatIsBehindThem() throws {
    let facts = try ChildProgram("CountedFacts").path
    let program = try LiveProgram(
      ChildProgram(path: "/usr/bin/env"),
      ["SIGNALBOX_MAX_WORKERS=2", facts, HungScenario.hungStarvedPool.rawValue])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try report(program) { text, isCore in
        has(text, "the queue \"hung.starved\" (serial) holds 3 items; it waits for a worker")
          && ["hung.busy.1", "hung.busy.2"].allSatisfy { label in
            has(
              text, "thread ", ", on the queue \"\(label)\", ",
              isCore ? "did not wait in a call of Signalbox" : "runs, or is ready to run")
          } && has(text, "the pool of default priority has ", " waiting for one; at most ")
          && !has(text, "the pool of default priority has ", " and 0 waiting for one")
      }
    }
  }

  /// The descriptors are those of the program; a core has no list of them.
  @Test func aFullPipeIsSeenByTheCallAndBothItsEnds() throws {
    let program = try LiveProgram(HungScenario.hungFullPipe)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let reader = try number("reader", program), writer = try number("writer", program)
      try report(program) { text, isCore in
        isCore
          ? has(
            text, "thread ",
            ", on the queue \"hung.pipe\", did not wait in a call of Signalbox, but was in "
              + "write(2) on the descriptor \(writer)")
          : has(
            text, "thread ",
            ", on the queue \"hung.pipe\", sleeps outside Signalbox, in write(2) on the "
              + "descriptor \(writer), pipe:[",
            "], which is read at the descriptor \(reader) of this process")
      }
    }
  }

  /// A process that was stopped while it hangs, and its core.
  @Test func aStoppedProcessIsReportedAlsoFromItsCore() throws {
    let program = try LiveProgram(HungScenario.hungTwoLocks)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let deadline = Uptime.now() + RealTime.wedge
      func isDeadlocked() throws -> Bool {
        try ChildProgram("signalbox").run(["report", "\(program.process)"])
          .standardOutput.hasPrefix("deadlock: ")
      }
      while try !isDeadlocked() { try #require(Uptime.now() < deadline) }
      program.send(SIGSTOP)
      try report(program) { text, isCore in
        has(text, "deadlock: ", "waits for the NSLock \"one\"", ", held by thread ", "\"left\")")
          && (isCore || has(text, "the main thread) is stopped, by a signal or a debugger"))
      }
    }
  }
}
