// ReportCommandTests — `signalbox report` and `signalbox ps`: what they refuse, and how they say it.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite struct ReportCommandTests {
  private func refuse(_ process: Int32, because reason: String) throws {
    let outcome = try ChildProgram("signalbox").run(["report", "\(process)"])
    #expect(outcome.exit == .code(1) && outcome.standardOutput.isEmpty, "\(outcome)")
    #expect(outcome.standardError.hasPrefix("signalbox: "))
    #expect(outcome.standardError.contains(reason), "\(outcome.standardError)")
    #expect(outcome.standardError.split(separator: "\n").count == 1)
  }

  @Test func aProcessThatDoesNotExistIsNamed() throws {
    try refuse(.max, because: "there is no process \(Int32.max)")
  }

  @Test func aProcessWithoutSignalboxIsNamed() throws {
    let program = try LiveProgram(ChildProgram(path: "/usr/bin/sleep"), ["1000"])
    try withExtendedLifetime(program) {
      // Until the program is there, the process is a copy of this one.
      let words = "(sleep) has no Signalbox in it"
      let deadline = Uptime.now() + RealTime.wedge
      while try !ChildProgram("signalbox").run(["report", "\(program.process)"])
        .standardError.contains(words)
      {
        try #require(Uptime.now() < deadline)
      }
      try refuse(program.process, because: words)
    }
  }

  @Test func aProcessThatHasEndedIsNamed() throws {
    let program = try LiveProgram(ChildProgram(path: "/usr/bin/true"))
    try withExtendedLifetime(program) {
      // Ends, and stays in the list because nobody has waited for it.
      var information = siginfo_t()
      try #require(
        waitid(P_PID, id_t(program.process), &information, WEXITED | WNOWAIT) == 0)
      try refuse(program.process, because: "has ended, and its parent has not waited for it")
    }
  }

  /// As a user without rights, which only the superuser can become.
  @Test(.enabled(if: geteuid() == 0)) func aProcessOfAnotherUserIsNamed() throws {
    let program = try LiveProgram(HungScenario.hungSemaphore)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let folder = try TemporaryFolder()
      let tool = "\(folder.path)/signalbox"
      let copy = try ChildProgram(path: "/bin/cp").run([ChildProgram("signalbox").path, tool])
      try #require(copy.exit == .code(0) && chmod(folder.path, 0o755) == 0)
      let outcome = try ChildProgram(path: "/usr/bin/setpriv").run([
        "--reuid=65534", "--regid=65534", "--clear-groups", tool, "report", "\(program.process)",
      ])
      #expect(outcome.exit == .code(1), "\(outcome)")
      #expect(
        outcome.standardError.contains("belongs to user 0, and you are user 65534"), "\(outcome)")
      #expect(outcome.standardError.contains("CAP_SYS_PTRACE is missing. Use sudo"), "\(outcome)")
    }
  }

  @Test func wrongArgumentsShowTheUsage() throws {
    let misuses: [[String]] = [
      ["report"], ["report", "abc"], ["report", "0"], ["report", "-1"], ["report", "1", "2"],
      ["report", "--quick", "1"], ["report", "99999999999"], ["ps", "1"], ["ps", "--all"],
    ]
    for words in misuses {
      let outcome = try ChildProgram("signalbox").run(words)
      #expect(outcome.exit == .code(2), "\(words)")
      #expect(outcome.standardError.hasPrefix("signalbox: "))
      #expect(outcome.standardError.contains("usage: ") && outcome.standardOutput.isEmpty)
    }
    for words in [["report", "--help"], ["ps", "-h"]] {
      let help = try ChildProgram("signalbox").run(words)
      #expect(help.exit == .code(0) && help.standardOutput.hasPrefix("usage: signalbox "))
    }
  }
}
