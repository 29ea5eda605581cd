// TracepointTests — the static tracepoints in the files, and those that a program passes, as tracers see them.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct TracepointTests {
  private func output(_ path: String, _ arguments: [String]) throws -> String {
    let outcome = try ChildProgram(path: path).run(arguments, environment: ["DEBUGINFOD_URLS": ""])
    try #require(outcome.exit == .code(0), "\(outcome)")
    return outcome.standardOutput
  }

  // MARK: The notes

  @Test func everyDeclaredTracepointIsInAProgram() throws {
    let declared = try Tracepoint.declared()
    let program = try ChildProgram("CountedFacts").path
    let notes = TracepointNote.all(in: try output("/usr/bin/readelf", ["-nW", program]))
    #expect(notes.map(\.name).sorted() == declared.map(\.name).sorted())
    let sections = try output("/usr/bin/readelf", ["-SW", program])
    let words = try #require(section(".probes", in: sections))
    let base = try #require(section(".stapsdt.base", in: sections))
    for note in notes {
      let tracepoint = try #require(declared.first { $0.name == note.name })
      let operands = note.arguments.split(separator: " ")
      #expect(operands.count == tracepoint.parameters.count, "\(note)")
      #expect(operands.allSatisfy { $0.hasPrefix("8@") }, "\(note)")
      #expect(note.location != 0 && note.base == base.lowerBound, "\(note)")
      // The last two of the eight bytes that each probe tests.
      #expect(words.count == 8 && note.semaphore == words.lowerBound + 6, "\(note)")
    }
    #expect(Set(notes.map(\.location)).count == notes.count)
  }

  /// The addresses of a section that is loaded.
  private func section(_ name: String, in text: String) -> Range<UInt64>? {
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == " " }.map(String.init)
      guard let index = words.firstIndex(of: name), words.count > index + 4,
        let address = UInt64(words[index + 2], radix: 16),
        let size = UInt64(words[index + 4], radix: 16)
      else { continue }
      return address..<address + size
    }
    return nil
  }

  // MARK: Tracing

  @Test func aDebuggerSeesWhatTheProgramDoes() throws {
    let hits = try hits(of: try Tracepoint.declared())
    let (long, short) = ("\"\(TracedScenario.long)\"", "\"\(TracedScenario.short)\"")
    func count(_ name: String, _ arguments: [Int: String] = [:]) -> Int {
      hits.count { hit in
        hit.name == name && arguments.allSatisfy { hit.arguments[$0.key] == $0.value }
      }
    }
    // Three items, and one of `asyncAndWait`, which may run like a `sync`.
    let last = count("sync_began", [1: long])
    #expect(last <= 1 && count("sync_ended", [1: long]) == last)
    for name in ["item_submitted", "item_began", "item_ended"] {
      #expect(count(name, [1: long]) == 4 - last, "\(name)")
    }
    // That of `asyncAndWait` is pending at the class of its caller.
    #expect(count("item_submitted", [1: long, 3: "6"]) == 3)
    // An item, and the handler of a timer.
    #expect(count("item_submitted", [1: short]) >= 1)
    #expect(count("sync_began", [1: short]) == 1 && count("sync_ended", [1: short]) == 1)
    // Each item begins at the address at which it was submitted.
    let submitted = hits.filter { $0.name == "item_submitted" && $0.arguments[1] == long }
    for hit in submitted {
      #expect(count("item_began", [0: hit.arguments[0], 2: hit.arguments[2]]) >= 1, "\(hit)")
    }
    #expect(count("wait_began", [1: "\"the semaphore\"", 3: "\"semaphore\""]) >= 2)
    #expect(count("wait_ended", [3: "\"semaphore\"", 4: "1"]) == 1)
    #expect(count("wait_began") == count("wait_ended"))
    let contended = hits.filter { $0.name == "lock_contended" && $0.arguments[2] == "\"ledger\"" }
    #expect(contended.count >= 1 && contended.allSatisfy { $0.arguments[1] == "\"the NSLock\"" })
    #expect(contended.allSatisfy { $0.arguments[3] != "0" }, "\(contended)")
    #expect(count("lock_acquired", [2: "\"ledger\""]) == 2)
    #expect(count("lock_released", [2: "\"ledger\""]) == 2)
    #expect(count("worker_began", [0: "\"default\""]) >= 2)
    #expect(count("worker_blocked") == count("worker_unblocked"))
    #expect(count("worker_replaced") >= 1)
    #expect(count("worker_replaced") <= count("worker_blocked"))
    #expect(count("timer_fired") >= 1)
  }

  // MARK: The kernel's tracer

  /// What the article's programs print of the scenario, each one behind the other.
  private static let answers = [
    ["@us[com.example.traced.orders]", "@us[bank]", "@us[com.example.traced.crowd]"],
    [
      "@blocked[com.example.traced.orders, the semaphore, ]: 1\n",
      "@blocked[com.example.traced.crowd, the semaphore, ]: ",
    ],
    [
      "@slowest_us[com.example.traced.orders]: ", "@slowest_us[bank]: ",
      "@slowest_us[com.example.traced.crowd]: ",
    ],
    ["@off_us[ledger]"],
    ["@late_us"],
    ["@running[default]", "@replaced[default]: ", "@workers[default]: "],
  ]

  @Test(.enabled(if: KernelTracer.isAllowed, KernelTracer.condition), arguments: [0, 1, 2, 4, 5])
  func theArticlesProgramsAnswer(_ number: Int) throws { try answers(number, ofTheKernel: false) }

  @Test(
    .enabled(if: KernelTracer.isAllowed, KernelTracer.condition),
    .enabled(if: KernelTracer.seesTheKernel, KernelTracer.kernelCondition))
  func theArticlesProgramThatTracesTheKernelAnswers() throws {
    try answers(3, ofTheKernel: true)
  }

  private func answers(_ number: Int, ofTheKernel: Bool) throws {
    let programs = try Tracepoint.programsOfTheArticle()
    try #require(programs.count == TracepointTests.answers.count)
    #expect(programs[number].contains("tracepoint:") == ofTheKernel)
    let path = try ChildProgram(type(of: TracedScenario.tracedWork).program).path
    let script = programs[number].split(separator: "./shop").joined(separator: path)
    let text = try output(
      KernelTracer.path, ["-e", script, "-c", "\(path) \(TracedScenario.tracedWork.rawValue)"])
    #expect(text.contains("done=1\n"), "\(text)")
    for answer in TracepointTests.answers[number] { #expect(text.contains(answer), "\(text)") }
  }

  @Test(.enabled(if: KernelTracer.isAllowed, KernelTracer.condition))
  func aTracerComesToARunningProcessAndLeavesNothing() throws {
    let program = try LiveProgram(WatchedScenario.watchedLoad)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let asked = try AskedProgram(program.process)
      #expect(try asked.probes == 0)
      let path = try ChildProgram(WatchedScenario.program).path
      let script =
        "usdt:\(path):signalbox:item_began { @[str(arg1)] = count(); if (@n++ > 1000) { exit(); } }"
      let text = try output(KernelTracer.path, ["-e", script, "-p", "\(program.process)"])
      for label in 0..<4 { #expect(text.contains("@[load.\(label)]: "), "\(text)") }
      try asked.waitForQuiet()
    }
  }

  // MARK: gdb

  private struct Hit {
    let name: String
    let arguments: [String]
  }

  /// What gdb sees of the scenario.
  private func hits(of tracepoints: [Tracepoint]) throws -> [Hit] {
    let folder = try TemporaryFolder()
    let script = "\(folder.path)/tracepoints.py"
    let lines = tracepoints.map { tracepoint in
      let strings = tracepoint.parameters.map { $0.isString ? "True" : "False" }
      return "Tracepoint(\"\(tracepoint.name)\", [\(strings.joined(separator: ", "))])"
    }
    try write(TracepointTests.script + lines.joined(separator: "\n"), to: script)
    let program = try ChildProgram(type(of: TracedScenario.tracedWork).program).path
    let text = try output(
      "/usr/bin/gdb",
      [
        "-nx", "-batch", "-ex", "set debuginfod enabled off", "-x", script, "-ex", "run", "--args",
        program, TracedScenario.tracedWork.rawValue,
      ])
    // The child went through its own work, and so did its parent.
    #expect(text.contains("child=0\n") && text.contains("done=1\n"), "\(text.suffix(2000))")
    let names = Set(tracepoints.map(\.name))
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\t").map(String.init)
      guard let name = words.first, names.contains(name) else { return nil }
      return Hit(name: name, arguments: Array(words.dropFirst()))
    }
  }

  private func write(_ text: String, to path: String) throws {
    let file = try #require(fopen(path, "we"))
    defer { fclose(file) }
    try #require(fputs(text, file) >= 0)
  }

  /// gdb raises the semaphore when it sets the breakpoint, like each tracer.
  private static let script = """
    import gdb

    class Tracepoint(gdb.Breakpoint):
      def __init__(self, name, strings):
        super().__init__("-probe-stap signalbox:" + name)
        self.name, self.strings, self.silent = name, strings, True

      def stop(self):
        words = [self.name]
        for number, is_string in enumerate(self.strings):
          value = gdb.parse_and_eval("$_probe_arg" + str(number))
          if is_string:
            value = '"' + value.cast(gdb.lookup_type("char").pointer()).string() + '"'
          words.append(str(value if is_string else int(value)))
        print("\\n" + "\\t".join(words), flush=True)
        return False


    """

  // MARK: The word of the probes

  @Test func aTracerStartsNoRecordingAndOneCanBeAskedFor() throws {
    let program = try LiveProgram(WatchedScenario.watchedLoad)
    let folder = try TemporaryFolder()
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("ready"))
      let asked = try AskedProgram(program.process)
      // As the kernel does: 16 bits, for two listeners.
      try asked.setTracers(2)
      let traced = UInt64(2) << 48
      let path = "\(folder.path)/a.sbtrace"
      for _ in 0..<2 {
        #expect(try asked.probes == traced && !asked.threads.contains("sb-trace\n"))
        let outcome = try RecordedFile.record(program.process, for: "200ms", to: path) {
          try RecordedFile(path).items(of: "load.0") > 0
        }
        #expect(outcome.exit == .code(0), "\(outcome)")
        #expect(try RecordedFile(path).items(of: "load.0") > 0)
        try asked.wait { try asked.probes == traced && !asked.threads.contains("sb-trace\n") }
      }
      try asked.setTracers(0)
      try asked.waitForQuiet()
    }
  }
}
