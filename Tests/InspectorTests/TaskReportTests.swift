// TaskReportTests — `signalbox report` of programs whose tasks block, compute or wait in queues.

import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct TaskReportTests {
  private func report(_ program: LiveProgram, _ arguments: String...) throws -> String {
    let outcome = try ChildProgram("signalbox").run(["report", "\(program.process)"] + arguments)
    #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
    return outcome.standardOutput
  }

  private func core(of program: LiveProgram) throws -> String {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/core"
    var writer = try CoreWriter(of: program.process)
    try writer.write(to: path)
    return try CoreTarget(path, program: nil).inspect().text
  }

  private func has(_ report: String, _ words: String...) -> Bool {
    report.split(separator: "\n").contains { line in words.allSatisfy { line.contains($0) } }
  }

  private func number(_ name: String, _ program: LiveProgram) throws -> String {
    let line = program.text.split(separator: "\n").first { $0.hasPrefix("\(name)=") }
    return String(try #require(line).dropFirst(name.utf8.count + 1))
  }

  @Test(.adopting) func aTaskThatBlocksItsThreadIsNamedAndSoAreThoseBehindIt() throws {
    let program = try LiveProgram(
      ChildProgram("ConcurrencyFacts"), ["adopted", "named-tasks-block"])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let decode = "in task \(try number("decode", program)) \"decode\" (user-initiated)"
      let save = "in task \(try number("save", program)) \"save \\\"all\\\"\\n\" (default)"
      let unnamed = "in task \(try number("unnamed", program)) (default)"
      func isComplete(_ text: String) -> Bool {
        has(text, "thread ", "cooperative\", \(decode), waits for a signal of")
          && has(text, "thread ", ", on the queue \"named.queue\", \(save), waits for a signal of")
          && has(text, "thread ", "\(unnamed), waits for a signal of")
          && has(
            text, "the queue \"named.queue\" (serial) holds 2 items: task ",
            " \"load\" (utility), task ", " (background); thread ")
      }
      // The last thread to block may still be on its way.
      let deadline = Uptime.now() + RealTime.wedge
      var text = ""
      repeat { text = try report(program) } while !isComplete(text) && Uptime.now() < deadline
      #expect(isComplete(text), "\(text)")
      let core = try core(of: program)
      #expect(isComplete(core), "\(core)")
      let json = try report(program, "--json")
      #expect(
        json.contains(
          #""job":{"kind":"task","number":\#(try number("decode", program)),"name":"decode","priority":"user-initiated"}"#
        ), "\(json)")
      #expect(json.contains(#","name":"load","priority":"utility"},{"kind":"task","number":"#))
    }
  }

  /// These tasks are in the lists of the pool's own queues, and their items in their own memory.
  @Test(.adopting) func tasksThatComputeAreNamedAndSoAreThoseThatWaitForAWorker() throws {
    let facts = try ChildProgram("ConcurrencyFacts").path
    let program = try LiveProgram(
      ChildProgram(path: "/usr/bin/env"),
      ["SIGNALBOX_MAX_WORKERS=2", facts, "adopted", "busy-tasks-keep-tasks-waiting"])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let busy = "in task \(try number("busy", program)) \"busy\" (default), "
      func isComplete(_ text: String) -> Bool {
        has(text, "thread ", busy)
          && has(
            text,
            "the queue \"com.apple.root.default-qos.cooperative\" (global) holds 4 items: task ",
            " \"behind 1\" (default), task ", " \"behind 3\" (default), and others; ")
      }
      let deadline = Uptime.now() + RealTime.wedge
      var text = ""
      repeat { text = try report(program) } while !isComplete(text) && Uptime.now() < deadline
      #expect(isComplete(text), "\(text)")
      let top = try PseudoTerminal(["top", "\(program.process)"])
      try top.wait("a thread that runs a task") { screen in
        screen.lines.contains { $0.contains("sb-default-") && $0.contains(busy.dropLast(2)) }
      }
    }
  }
}
