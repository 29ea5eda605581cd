// TraceCommandTests — `signalbox trace`: what it records of a process, and that the process is afterwards as before.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct TraceCommandTests {
  private static let labels = ["load.0", "load.1", "load.2", "load.3"]

  private func busyProgram(environment: [String: String] = [:]) throws -> LiveProgram {
    let program = try LiveProgram(WatchedScenario.watchedLoad, environment: environment)
    try #require(program.waitForFact("ready"))
    return program
  }

  private func trace(
    _ process: Int32, _ words: String...
  ) throws -> ChildProgram.Outcome {
    try ChildProgram("signalbox").run(["trace", "\(process)"] + words)
  }

  private func refuse(_ process: Int32, _ words: String..., because reason: String) throws {
    let outcome = try ChildProgram("signalbox").run(["trace", "\(process)"] + words)
    #expect(outcome.exit == .code(1) && outcome.standardOutput.isEmpty, "\(outcome)")
    let lines = outcome.standardError.split(separator: "\n").filter { !$0.contains("Ctrl-C") }
    #expect(lines.count == 1 && outcome.standardError.contains(reason), "\(outcome)")
  }

  @Test func aRunningProcessIsRecordedAgainAndAgain() throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    let asked = try AskedProgram(program.process)
    try withExtendedLifetime(program) {
      #expect(try asked.probes == 0)
      for number in 0..<3 {
        let path = "\(folder.path)/\(number).sbtrace"
        let outcome = try RecordedFile.record(program.process, for: "300ms", to: path) {
          let file = try RecordedFile(path)
          return TraceCommandTests.labels.allSatisfy { file.items(of: $0) > 0 }
        }
        #expect(outcome.exit == .code(0) && outcome.standardOutput == "\(path)\n", "\(outcome)")
        let file = try RecordedFile(path)
        #expect(file.model.meta.program == "CountedFacts")
        #expect(file.model.meta.processID == UInt32(program.process))
        #expect(file.duration >= 300_000_000)
        for label in TraceCommandTests.labels { #expect(file.items(of: label) > 0, "\(label)") }
        try asked.waitForQuiet()
      }
      program.send(SIGUSR1)
      _ = try #require(program.line(containing: "items="))
    }
  }

  @Test func eachFormIsWritten() throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    let beginnings: [(String, [UInt8])] = [
      ("a.html", Array("<!DOCTYPE html>".utf8)), ("a.json", Array("{".utf8)), ("a.txt", []),
      ("a.pftrace", [0x0A]), ("a.sbtrace", Array("SBTRACE1".utf8)),
    ]
    try withExtendedLifetime(program) {
      for (name, beginning) in beginnings {
        let path = "\(folder.path)/\(name)"
        let outcome = try RecordedFile.record(program.process, for: "50ms", to: path)
        #expect(outcome.exit == .code(0), "\(outcome)")
        let bytes = try ProcessFile.read(path).get()
        #expect(bytes.starts(with: beginning) && bytes.count > 100, "\(name)")
      }
    }
  }

  /// It has no worker, which would do something: it ends when it has had nothing to do for some seconds.
  @Test func aProcessThatDoesNothingIsLeftAlone() throws {
    let program = try LiveProgram(HungScenario.hungNothing)
    let folder = try TemporaryFolder()
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let asked = try AskedProgram(program.process)
      let path = "\(folder.path)/a.html"
      try refuse(program.process, "-d", "200ms", "-o", path, because: "did nothing with Signalbox")
      #expect(access(path, F_OK) != 0)
      #expect(try asked.probes == 0 && asked.served == 0)
    }
  }

  @Test(arguments: ["SIGNALBOX_TRACE", "SIGNALBOX_ADVICE"])
  func aProcessThatRecordsItselfIsNamed(_ variable: String) throws {
    let folder = try TemporaryFolder()
    let value = variable == "SIGNALBOX_TRACE" ? "\(folder.path)/own.sbtrace" : "\(folder.path)/own"
    let program = try busyProgram(environment: [variable: value])
    try withExtendedLifetime(program) {
      let asked = try AskedProgram(program.process)
      let before = try asked.probes
      try refuse(
        program.process, "-d", "10s", "-o", "\(folder.path)/a.html", because: "records itself")
      #expect(try asked.probes == before)
      try asked.wait { !asked.threads.contains("sb-trace\n") }
    }
  }

  @Test func aProgramWithoutTheRecorderIsNamed() throws {
    let program = try LiveProgram(ChildProgram("ConcurrencyFacts"), ["stock", "items-without-end"])
    let folder = try TemporaryFolder()
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      try refuse(
        program.process, "-o", "\(folder.path)/a.html",
        because: "is linked without the module SignalboxTrace")
    }
  }

  @Test func aFileThatCannotBeWrittenIsNamedBeforeTheProcessIsAsked() throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    try withExtendedLifetime(program) {
      let asked = try AskedProgram(program.process)
      mkdir("\(folder.path)/folder.html", 0o755)
      for name in ["none/a.html", "folder.html"] {
        try refuse(program.process, "-o", "\(folder.path)/\(name)", because: name)
      }
      let outcome = try trace(program.process, "-o", "\(folder.path)/a.doc")
      #expect(outcome.exit == .code(2) && outcome.standardError.contains("a.doc"))
      #expect(try asked.served == 0)
    }
  }

  @Test func aProcessThatDoesNotExistIsNamed() throws {
    let folder = try TemporaryFolder()
    try refuse(
      .max, "-o", "\(folder.path)/a.html", because: "there is no process \(Int32.max)")
  }

  @Test func aProcessThatEndsIsNamed() throws {
    let program = try LiveProgram(WatchedScenario.watchedEnd)
    let folder = try TemporaryFolder()
    try #require(program.waitForFact("ready"))
    let asked = try AskedProgram(program.process)
    let tool = try tool(program.process, "\(folder.path)/a.html")
    try withExtendedLifetime(program) {
      try asked.waitForRecording()
      program.send(SIGUSR1)
      #expect(tool.status() == 1)
      #expect(access("\(folder.path)/a.html", F_OK) != 0)
    }
  }

  // MARK: While it is recorded

  /// A tool that would record for longer than a test lasts. As soon as the process records, a
  /// signal ends the recording and not the tool, which may not yet have told that it records.
  private func tool(_ process: Int32, _ path: String) throws -> LiveProgram {
    try LiveProgram(ChildProgram("signalbox"), ["trace", "\(process)", "-d", "10m", "-o", path])
  }

  /// Waits until the process has run another item of this queue, from its beginning to its end.
  private func waitForItem(of label: String, _ process: Int32) throws {
    func runs() throws -> UInt64 {
      let sample = try Target.report(of: process, hasStacks: false).sample
      let queue = try #require(sample.queues.first { $0.label == label })
      return try #require(queue.counts).runs
    }
    let before = try runs()
    let deadline = Uptime.now() + RealTime.wedge
    // The queue is serial: where a second one has begun, the first one has ended.
    while try runs() < before + 2 { try #require(Uptime.now() < deadline) }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func anInterruptWritesWhatThereIs(_ signal: Int32) throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/a.sbtrace"
    let asked = try AskedProgram(program.process)
    let tool = try tool(program.process, path)
    try withExtendedLifetime(program) {
      try asked.waitForRecording()
      tool.send(signal)
      #expect(tool.line(containing: path) != nil)
      #expect(tool.status() == 0)
      // How many items have run by then is left to chance.
      #expect(try RecordedFile(path).model.meta.processID == UInt32(program.process))
      try asked.waitForQuiet()
    }
  }

  @Test func aKeyOfTheTerminalWritesWhatThereIs() throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/a.sbtrace"
    let asked = try AskedProgram(program.process)
    let tool = try PseudoTerminal(["trace", "\(program.process)", "-d", "10m", "-o", path])
    try withExtendedLifetime(program) {
      try asked.waitForRecording()
      // Ctrl-C.
      tool.type("\u{3}")
      #expect(try tool.waitForEnd() == .code(0))
      #expect(try RecordedFile(path).model.meta.processID == UInt32(program.process))
      try asked.waitForQuiet()
    }
  }

  @Test func aProcessWhoseToolIsKilledGoesBackToNormal() throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/a.sbtrace"
    let asked = try AskedProgram(program.process)
    let tool = try tool(program.process, path)
    try withExtendedLifetime(program) {
      try asked.waitForRecording()
      tool.send(SIGKILL)
      #expect(tool.status() == -1)
      try asked.waitForQuiet()
      #expect(access(path, F_OK) != 0)
      let outcome = try RecordedFile.record(program.process, for: "100ms", to: path)
      #expect(outcome.exit == .code(0), "\(outcome)")
    }
  }

  @Test func aSecondToolIsRefused() throws {
    let program = try busyProgram()
    let folder = try TemporaryFolder()
    let asked = try AskedProgram(program.process)
    let tool = try tool(program.process, "\(folder.path)/a.sbtrace")
    try withExtendedLifetime(program) {
      try asked.waitForRecording()
      try refuse(
        program.process, "-d", "10s", "-o", "\(folder.path)/b.sbtrace",
        because: "is being recorded by another `signalbox trace`")
      try waitForItem(of: "load.0", program.process)
      tool.send(SIGINT)
      #expect(tool.status() == 0)
      #expect(try RecordedFile("\(folder.path)/a.sbtrace").items(of: "load.0") > 0)
    }
  }

  @Test func aForkedChildForgetsTheRecordingAndHasItsOwn() throws {
    let program = try LiveProgram(WatchedScenario.watchedFork)
    let folder = try TemporaryFolder()
    try #require(program.waitForFact("ready"))
    let asked = try AskedProgram(program.process)
    let tool = try tool(program.process, "\(folder.path)/a.sbtrace")
    try withExtendedLifetime(program) {
      try asked.waitForRecording()
      program.send(SIGUSR1)
      let line = try #require(program.line(containing: "child="))
      let child = try #require(Int32(line.dropFirst("child=".count)))
      defer { kill(child, SIGKILL) }
      #expect(program.line(containing: "mask=") == "mask=0")
      let path = "\(folder.path)/child.sbtrace"
      let outcome = try RecordedFile.record(child, for: "100ms", to: path) {
        try RecordedFile(path).items(of: "load.child") > 0
      }
      #expect(outcome.exit == .code(0), "\(outcome)")
      #expect(try RecordedFile(path).items(of: "load.child") > 0)
      try waitForItem(of: "load.0", program.process)
      tool.send(SIGINT)
      #expect(tool.status() == 0)
      let own = try RecordedFile("\(folder.path)/a.sbtrace")
      #expect(own.items(of: "load.0") > 0 && own.items(of: "load.child") == 0)
    }
  }

  // MARK: Arguments

  @Test func wrongArgumentsShowTheUsage() throws {
    let misuses: [[String]] = [
      [], ["abc"], ["0"], ["1", "2"], ["1", "-d"], ["1", "-d", "5"], ["1", "-d", "0s"],
      ["1", "-d", "2h"], ["1", "-d", "1s", "-d", "1s"], ["1", "-o"], ["1", "-o", ""], ["1", "-x"],
    ]
    for words in misuses {
      let outcome = try ChildProgram("signalbox").run(["trace"] + words)
      #expect(outcome.exit == .code(2), "\(words)")
      #expect(outcome.standardError.contains("usage: ") && outcome.standardOutput.isEmpty)
    }
  }
}
