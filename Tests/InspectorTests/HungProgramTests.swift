// HungProgramTests — `signalbox report` of processes that hang. Each names thread, object and holder.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

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

    /// Whether a line says which function of the scenario waits, and the source line has the call that waits.
    func hasFunctions(_ report: String) throws -> Bool {
      // No thread waits.
      if scenario == .hungNothing { return true }
      let source = try HungSource()
      let frames = report.split(separator: "\n").filter {
        $0.hasPrefix("    at closure #") && $0.contains(" in CountedFacts.HungScenario.begin() -> ")
      }
      let lines = frames.compactMap { HungSource.line(of: $0) }
      return lines.count == frames.count && lines.allSatisfy { source.has($0, in: scenario) }
        && lines.contains { source.waits(at: $0) }
    }

    /// The first line that has all words. A core has no names of the kernel's.
    func line(in report: String, isCore: Bool = false) -> String? {
      report.split(separator: "\n").map(String.init).first { line in
        words.allSatisfy { line.contains($0) || isCore && $0.hasPrefix("\"sb-") }
          && line.hasPrefix("deadlock: ") == isDeadlock
      }
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
    // Another thread may say that the operation is finished.
    Hung(
      .hungStartedOperation, isDeadlock: true, "\"waiter\")",
      "waits for the end of the operation at 0x",
      "started by thread ", "waits for the NSLock \"started\"",
      "They continue only if another thread ends one of these waits."),
    Hung(
      .hungOperationQueue, isDeadlock: true, "\"waiter\")",
      "waits for the end of all operations of the operation queue at 0x",
      "whose work is run by thread ", "waits for the UnfairLock at 0x", "None can ever continue."),
    Hung(
      .hungNothing, isDeadlock: false,
      "the queue \"hung.suspended\" (serial) holds 3 items; it is suspended"),
  ]

  private func report(_ process: pid_t, _ options: String...) throws -> ChildProgram.Outcome {
    try ChildProgram("signalbox").run(["report", "\(process)"] + options)
  }

  /// The first line that has all words, asked for until there is one.
  func line(of hung: Hung, _ process: pid_t) throws -> String? {
    let deadline = Uptime.now() + RealTime.wedge
    while Uptime.now() < deadline {
      let outcome = try report(process)
      #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
      if let found = hung.line(in: outcome.standardOutput) {
        #expect(outcome.standardOutput.hasPrefix("deadlock: ") == hung.isDeadlock)
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
      #expect(try hung.hasFunctions(outcome.standardOutput), "\(outcome)")
    }
  }

  /// The process itself has only said so.
  @Test func aThreadThatWaitsForTheQueueThatItServesIsADeadlock() throws {
    let hung = Hung(
      .hungOwnQueue, isDeadlock: true, "on the queue \"hung.own\"",
      "waits in sync, for the queue \"hung.own\"", "held by that thread itself.")
    let program = try LiveProgram(
      hung.scenario, environment: ["SIGNALBOX_ON_MISUSE": "report"])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      #expect(try line(of: hung, program.process) != nil)
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
      let frames = try #require(engine["threads"].items.first)["frames"].items
      let names = frames.map { $0["function"].text ?? "" }
      // All functions, the innermost first, up to the one that starts a worker.
      let inner = names.firstIndex { $0.hasPrefix("SignalboxDispatch.DispatchQueue.sync(") }
      let own = names.firstIndex { $0.contains("HungScenario.begin()") }
      let outer = names.firstIndex { $0.hasPrefix("SignalboxRuntime.Pool.run(") }
      #expect(try #require(inner) < #require(own) && #require(own) < #require(outer), "\(names)")
      #expect(frames.first?["file"].text == "CountedFacts")
    }
  }

  /// The list, asked for until it has the process: one that is not read in time has no row.
  private func list(with process: pid_t) throws -> ChildProgram.Outcome {
    let deadline = Uptime.now() + RealTime.wedge
    while true {
      let list = try ChildProgram("signalbox").run(["ps"])
      let lines = list.standardOutput.split(separator: "\n")
      let isThere = lines.contains { $0.split(separator: " ").first == "\(process)" }
      if isThere || Uptime.now() >= deadline { return list }
    }
  }

  @Test func aListNamesTheProcess() throws {
    let hung = try #require(HungProgramTests.all.first)
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try line(of: hung, program.process) != nil)
      let outcome = try list(with: program.process)
      #expect(outcome.exit == .code(0))
      let words = outcome.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
      #expect(words.first == ["PID", "NAME", "THREADS", "WAITING", "DEADLOCKS"])
      let ours = try #require(words.first { $0.first == "\(program.process)" }, "\(outcome)")
      #expect(ours.count == 5 && ours[1] == "CountedFacts" && ours.suffix(2) == ["2", "1"])
      // The main thread and those that wait; an idle worker may not have ended yet.
      #expect(try #require(Int(ours[2])) >= 3)
    }
  }

  @Test func aProcessWhoseMainThreadHasEndedIsReported() throws {
    let program = try LiveProgram(HungScenario.hungAfterMain)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let hung = Hung(
        .hungAfterMain, isDeadlock: true, "\"owner\") waits for the NSLock \"own\"",
        "held by that thread itself")
      let words = "\"CountedFacts\", the main thread) has ended"
      let deadline = Uptime.now() + RealTime.wedge
      while try !report(program.process).standardOutput.contains(words) {
        try #require(Uptime.now() < deadline)
      }
      let line = try line(of: hung, program.process)
      let outcome = try report(program.process)
      #expect(line != nil, "\(outcome)")
      let list = try list(with: program.process)
      #expect(list.standardOutput.contains("\(program.process)  CountedFacts "), "\(list)")
    }
  }

  /// The list says so, and goes on with the processes behind it.
  @Test func aProcessThatHoldsItsReaderUpIsNamed() throws {
    let silent = try LiveProgram(HungScenario.hungUnanswered)
    try withExtendedLifetime(silent) {
      try #require(silent.waitForFact("hangs"))
      // Refused by some systems, in containers.
      guard silent.text.contains("error=0\n") else { return }
      let other = try LiveProgram(HungScenario.hungSemaphore)
      try withExtendedLifetime(other) {
        try #require(other.waitForFact("hangs"))
        let list = try list(with: other.process)
        #expect(list.exit == .code(0) && list.standardError.isEmpty)
        let words = "process \(silent.process) (CountedFacts) could not be read within 5 s"
        #expect(list.standardOutput.contains(words), "\(list)")
        #expect(list.standardOutput.contains("\(other.process)  CountedFacts "), "\(list)")
      }
    }
  }

  /// What was read of the program before is thrown away.
  @Test func aProcessThatBeginsAnotherProgramMeanwhileIsReadAgain() throws {
    let folder = try TemporaryFolder()
    let pipe = "\(folder.path)/pipe"
    try #require(mkfifo(pipe, 0o600) == 0)
    let facts = try ChildProgram("CountedFacts").path
    let words = "echo hangs=1; read a < \(pipe); exec \(facts) hung-semaphore"
    let program = try LiveProgram(ChildProgram(path: "/bin/sh"), ["-c", words])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      var attempts = 0
      let report = try Target.report(of: program.process) { attempt in
        attempts += 1
        if attempt > 0 { return }
        // A program that another test starts now would otherwise keep the pipe open.
        close(open(pipe, O_WRONLY | O_CLOEXEC))
        #expect(program.waitForFact("hangs", times: 2))
      }
      #expect(attempts == 2 && report.name == "CountedFacts")
      #expect(throws: InspectionRefusal.self) {
        try Target.report(of: Int32.max)
      }
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
      // Functions without a name are shown by their distance from the beginning of the file.
      let text = try report(program.process).standardOutput
      #expect(text.contains("\n    at stripped (deleted) + 0x"), "\(text)")
      #expect(!text.contains(".swift:"), "\(text)")
    }
  }
}
