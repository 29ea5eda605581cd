// StallReportTests — `signalbox run --report-on-stall`: the report, and a program that runs as a child.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite struct StallReportTests {
  private let folder: TemporaryFolder

  /// Some file stands for our library: the programs here do not load it.
  init() throws {
    folder = try TemporaryFolder()
    try #require(symlink("/bin/true", "\(folder.path)/libdispatch.so") == 0)
  }

  private var environment: [String: String] { ["SIGNALBOX_LIBRARY_FOLDER": folder.path] }

  /// Runs a command with both outputs in one, until the test ends it. The program ends with the command.
  private func watch(
    _ words: [String], _ body: (LiveProgram) throws -> Void
  ) throws {
    let tool = try ChildProgram("signalbox").path
    let program = try LiveProgram(
      ChildProgram(path: "/bin/sh"),
      [
        "-c", "SIGNALBOX_LIBRARY_FOLDER=\"$0\" exec \"$@\" 2>&1", folder.path, tool, "run",
      ] + words)
    try withExtendedLifetime(program) {
      defer {
        program.send(SIGTERM)
        var information = siginfo_t()
        _ = waitid(P_PID, id_t(program.process), &information, WEXITED | WNOWAIT)
      }
      try body(program)
    }
  }

  private func facts(_ scenario: HungScenario) throws -> [String] {
    [try ChildProgram("CountedFacts").path, scenario.rawValue]
  }

  @Test func aDeadlockIsReported() throws {
    try watch(["--report-on-stall", "100ms"] + facts(.hungTwoLocks)) { program in
      let words = " makes no progress: the threads "
      let line = try #require(program.line(containing: words), "\(program.text)")
      #expect(
        line.hasPrefix("signalbox: process ")
          && line.hasSuffix(" have waited for each other for 100 ms"))
      #expect(program.line(containing: "deadlock: thread ")?.contains("held by thread ") == true)
    }
  }

  @Test func eachStallIsReportedOnce() throws {
    // The first item of each queue begins before this time is over.
    try watch(["--report-on-stall", "2s"] + facts(.hungTwice)) { program in
      let words = " makes no progress: no item of the queue \"hung.once\" has begun for 2000 ms"
      #expect(program.line(containing: words) != nil, "\(program.text)")
      #expect(program.line(containing: "waits for a signal of the semaphore at 0x") != nil)
      // A signal reaches the program.
      program.send(SIGUSR1)
      try #require(program.waitForFact("released"))
      let again = " makes no progress: no item of the queue \"hung.again\" has begun for 2000 ms"
      #expect(program.line(containing: again) != nil, "\(program.text)")
      #expect(program.text.ranges(of: " makes no progress: ").count == 2, "\(program.text)")
    }
  }

  @Test func aProgramWithoutSignalboxIsNamedOnce() throws {
    try watch(["--late", "--report-on-stall", "1ms", "sh", "-c", "while :; do sleep 1; done"]) {
      program in
      #expect(
        program.line(containing: "signalbox: no stall can be seen: ")?
          .contains("has no Signalbox in it") == true, "\(program.text)")
    }
  }

  // MARK: The child

  private func run(_ words: String...) throws -> ChildProgram.Outcome {
    try ChildProgram("signalbox").run(
      ["run", "--late", "--report-on-stall", "10m"] + words, environment: environment)
  }

  @Test func argumentsAndStatusAreTheProgramsOwn() throws {
    let outcome = try run("--", "sh", "-c", "echo \"$0 $1\"; exit 7", "--late", "b")
    #expect(outcome.exit == .code(7) && outcome.standardOutput == "--late b\n", "\(outcome)")
    #expect(outcome.standardError.isEmpty)
  }

  /// The program gets the signals that this process holds back.
  @Test(arguments: [SIGTERM, SIGUSR1, SIGINT, SIGKILL])
  func theEndByASignalIsTheProgramsOwn(_ signal: Int32) throws {
    let outcome = try run("sh", "-c", "kill -\(signal) $$; exit 3")
    #expect(outcome.exit == .signal(signal), "\(outcome)")
  }

  @Test func aRecordingIsAskedForByAnOption() throws {
    let outcome = try ChildProgram("signalbox").run(
      ["run", "--late", "--trace", "work.html", "env"], environment: environment)
    #expect(outcome.facts["SIGNALBOX_TRACE"] == "work.html", "\(outcome)")
  }

  @Test func wrongArgumentsShowTheUsage() throws {
    let misuses: [[String]] = [
      ["--report-on-stall"], ["--report-on-stall", "10", "env"],
      ["--report-on-stall", "0s", "env"],
      ["--report-on-stall", "-1s", "env"], ["--report-on-stall", "99999999999999999999s", "env"],
      ["--report-on-stall", "9999999999999999s", "env"], ["--report-on-stall", "s", "env"],
      ["--report-on-stall", "1h", "env"], ["--trace"], ["--trace", "", "env"], ["--trace", "x"],
    ]
    for words in misuses {
      let outcome = try ChildProgram("signalbox").run(["run"] + words)
      #expect(outcome.exit == .code(2), "\(words)")
      #expect(outcome.standardError.contains("usage: ") && outcome.standardOutput.isEmpty)
    }
  }
}
