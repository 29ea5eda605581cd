// HungProgramTests — `signalbox report` of processes that hang. Each names thread, object and holder.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite struct HungProgramTests {
  /// What a scenario's report says: parts of one line, and whether that line is a deadlock's.
  struct Hung: CustomTestStringConvertible {
    let scenario: HungScenario
    let isDeadlock: Bool
    let words: [String]
    var testDescription: String { scenario.rawValue }

    init(_ scenario: HungScenario, isDeadlock: Bool, _ words: String...) {
      self.scenario = scenario
      self.isDeadlock = isDeadlock
      self.words = words
    }
  }

  static let all = [
    Hung(
      .hungTwoQueues, isDeadlock: true,
      "on the queue \"hung.a\", waits in sync, for the queue \"hung.b with a long label\"",
      "on the queue \"hung.b with a long label\", waits in sync, for the queue \"hung.a\"",
      "\"sb-default-", "held by thread ", "None can ever continue."),
    Hung(
      .hungTwoLocks, isDeadlock: true, "\"left\")",
      "waits for the NSLock \"the second lock of two\"",
      "\"right\")", "waits for the NSLock \"one\"", "held by thread ",
      "They continue only if another thread ends one of these waits."),
    Hung(
      .hungQueueAndLock, isDeadlock: true,
      "\"holder\")", "waits in sync, for the queue \"hung.queue\"",
      "on the queue \"hung.queue\", waits for the UnfairLock at 0x", "held by thread "),
    Hung(
      .hungSemaphore, isDeadlock: false, "\"waiter\") waits for a signal of the semaphore at 0x"),
    Hung(.hungGroup, isDeadlock: false, "\"waiter\") waits for the group at 0x"),
    Hung(
      .hungGroupAndLock, isDeadlock: true, "\"waiter\")", "waits for the group at 0x",
      "whose work is run by thread ", "waits for the NSRecursiveLock \"guard\"", "held by thread "),
    Hung(
      .hungJoin, isDeadlock: false, "\"joiner\") waits for the end of thread ", "\"joined\")"),
    Hung(
      .hungMainQueue, isDeadlock: false,
      "\"caller\") waits in sync, for the queue \"com.apple.main-thread\"", "held by ",
      "the main thread)"),
    Hung(
      .hungReaders, isDeadlock: true, "waits to write under the ReadWriteLock \"table\"",
      "shared by thread ", "\"reader\")", "waits in sync, for the queue \"hung.queue\""),
    Hung(
      .hungItself, isDeadlock: true, "\"owner\") waits for the NSLock \"own\"",
      "held by that thread itself. It continues only if another thread ends the wait."),
    Hung(
      .hungQueueBehindItsTarget, isDeadlock: true,
      "\"holder\")", "waits in sync, for the queue \"hung.above\"", "held by thread ",
      "on the queue \"hung.target\", waits for the NSLock \"held\""),
    Hung(
      .hungBehindABarrier, isDeadlock: false,
      "\"caller\"), holding the queue \"hung.above\", waits in sync, for the queue \"hung.shared\"",
      ", shared by thread "),
    Hung(
      .hungNothing, isDeadlock: false,
      "the queue \"hung.suspended\" (serial) holds 3 items; it is suspended"),
  ]

  private func report(_ process: pid_t, _ options: String...) throws -> ChildProgram.Outcome {
    try ChildProgram("signalbox").run(["report", "\(process)"] + options)
  }

  /// The first line that has all words, asked for until there is one.
  private func line(of hung: Hung, _ process: pid_t) throws -> String? {
    let deadline = Uptime.now() + RealTime.wedge
    while Uptime.now() < deadline {
      let outcome = try report(process)
      #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
      let lines = outcome.standardOutput.split(separator: "\n").map(String.init)
      let found = lines.first { line in
        hung.words.allSatisfy { line.contains($0) }
          && line.hasPrefix("deadlock: ") == hung.isDeadlock
      }
      if let found {
        #expect(lines.first?.hasPrefix("deadlock: ") == hung.isDeadlock)
        return found
      }
    }
    return nil
  }

  @Test(arguments: all) func theReportNamesThreadObjectAndHolder(_ hung: Hung) throws {
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let line = try line(of: hung, program.process)
      let outcome = try report(program.process)
      #expect(line != nil, "\(outcome)")
    }
  }

  /// Nothing of the process runs while it is read.
  @Test func aStoppedProcessIsReported() throws {
    let hung = try #require(HungProgramTests.all.first)
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try line(of: hung, program.process) != nil)
      program.send(SIGSTOP)
      #expect(try line(of: hung, program.process) != nil)
      let words = "the main thread) is stopped, by a signal or a debugger"
      let deadline = Uptime.now() + RealTime.wedge
      var text = ""
      // The signal arrives at each thread at a moment of its own.
      repeat {
        text = try report(program.process).standardOutput
      } while !text.contains(words)
        && Uptime.now() < deadline
      #expect(text.contains(words), "\(text)")
    }
  }

  @Test func theReportIsStrictJSON() throws {
    let hung = try #require(HungProgramTests.all.first)
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try line(of: hung, program.process) != nil)
      let outcome = try report(program.process, "--json")
      let json = try StrictJSON(outcome.standardOutput)
      #expect(json["format"].text == "signalbox-report")
      #expect(json["process"].number == Double(program.process))
      let engine = try #require(json["engines"].items.first)
      #expect(engine["cycles"].items.first?.items.count == 2)
      let reasons = engine["threads"].items.map { $0["wait"]["reason"].text }
      #expect(reasons.contains("in sync, for"), "\(reasons)")
    }
  }

  @Test func aListNamesTheProcess() throws {
    let hung = try #require(HungProgramTests.all.first)
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try line(of: hung, program.process) != nil)
      let outcome = try ChildProgram("signalbox").run(["ps"])
      #expect(outcome.exit == .code(0))
      let words = outcome.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
      #expect(words.first == ["PID", "NAME", "THREADS", "WAITING", "DEADLOCKS"])
      let ours = try #require(words.first { $0.first == "\(program.process)" }, "\(outcome)")
      #expect(ours.count == 5 && ours[1] == "CountedFacts" && ours.suffix(2) == ["2", "1"])
      // The main thread and those that wait; an idle worker may not have ended yet.
      #expect(try #require(Int(ours[2])) >= 3)
    }
  }

  @Test func aStrippedProgramIsReported() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/stripped"
    let strip = try ChildProgram(path: "/usr/bin/strip").run(
      ["-o", path, ChildProgram("CountedFacts").path])
    try #require(strip.exit == .code(0))
    let hung = try #require(HungProgramTests.all.first)
    let program = try LiveProgram(ChildProgram(path: path), [hung.scenario.rawValue])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      // The file is not needed any more.
      try #require(unlink(path) == 0)
      #expect(try line(of: hung, program.process) != nil)
    }
  }
}
