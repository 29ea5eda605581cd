// DebuggerTests — the commands for gdb, in a process and in a core.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite struct DebuggerTests {
  /// The script of this checkout.
  private var script: String {
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
      + "/Debugger/signalbox-gdb.py"
  }

  private func debug(_ words: [String], _ commands: String...) throws -> String {
    let tool = try ChildProgram("signalbox").path
    let folder = tool.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
    let all = ["source \(script)"] + commands
    let outcome = try ChildProgram(path: "/usr/bin/gdb").run(
      ["-nx", "-batch"] + words + all.flatMap { ["-ex", $0] },
      environment: ["PATH": "\(folder):\(path)", "DEBUGINFOD_URLS": ""])
    return outcome.standardOutput + outcome.standardError
  }

  /// The word behind `name` in a text.
  private func word(after name: String, in text: String) -> String? {
    text.ranges(of: name).first.map { String(text[$0.upperBound...].prefix { !$0.isWhitespace }) }
  }

  private func checkQueues(_ arguments: [String]) throws {
    let queues = try debug(arguments, "signalbox queues")
    let line = try #require(
      queues.split(separator: "\n").first {
        $0.hasPrefix("\"hung.suspended\" serial, 3 items, at 0x")
      },
      "\(queues)")
    #expect(line.contains(", suspended, first item 0x"), "\(queues)")
    let first = try #require(word(after: "first item ", in: String(line)))
    let item = try debug(arguments, "signalbox item \(first)")
    #expect(item.contains("item \(first): "), "\(item)")
    #expect(item.contains("  closure: ") && item.contains("HungScenario"), "\(item)")
    #expect(item.contains("  flags: captures\n"), "\(item)")
    let second = try #require(word(after: "  next: ", in: item))
    let third = try #require(
      word(after: "  next: ", in: try debug(arguments, "signalbox item \(second)")), "\(second)")
    let last = try debug(arguments, "signalbox item \(third)")
    #expect(last.contains("item \(third): ") && last.contains("  next: none"), "\(last)")
  }

  @Test func queuesAndItemsAreShown() throws {
    let folder = try TemporaryFolder()
    let program = try LiveProgram(HungScenario.hungNothing)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try checkQueues(["-p", "\(program.process)"])
      let core = "\(folder.path)/core"
      let written = try debug(["-p", "\(program.process)"], "generate-core-file \(core)")
      try #require(access(core, R_OK) == 0, "\(written)")
      try checkQueues([try ChildProgram("CountedFacts").path, core])
    }
  }

  @Test func threadsAreShown() throws {
    let hung = try #require(HungProgramTests.all.first)
    let folder = try TemporaryFolder()
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try HungProgramTests().line(of: hung, program.process) != nil)
      let live = try debug(["-p", "\(program.process)"], "signalbox threads")
      #expect(hung.line(in: live) != nil, "\(live)")
      #expect(!live.contains("\nthe queue "), "\(live)")
      let core = "\(folder.path)/core"
      _ = try debug(["-p", "\(program.process)"], "generate-core-file \(core)")
      let dead = try debug([try ChildProgram("CountedFacts").path, core], "signalbox threads")
      #expect(hung.line(in: dead, isCore: true) != nil, "\(dead)")
    }
  }

  @Test func whatCannotBeShownIsSaid() throws {
    let nothing = try debug([], "signalbox queues")
    #expect(nothing.contains("there is no process of this machine and no core"), "\(nothing)")
    let program = try LiveProgram(HungScenario.hungNothing)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let process = ["-p", "\(program.process)"]
      let (unnamed, wild) = (
        try debug(process, "signalbox item"), try debug(process, "signalbox item 16")
      )
      #expect(unnamed.contains("which item?"), "\(unnamed)")
      #expect(wild.contains("nothing can be read at 0x10"), "\(wild)")
    }
    let other = try LiveProgram(ChildProgram(path: "/usr/bin/sleep"), ["1000"])
    try withExtendedLifetime(other) {
      let process = ["-p", "\(other.process)"]
      let (threads, item) = (
        try debug(process, "signalbox threads"), try debug(process, "signalbox item 16")
      )
      #expect(threads.contains("has no Signalbox in it"), "\(threads)")
      #expect(item.contains("has no symbol csb_outside"), "\(item)")
    }
  }
}
