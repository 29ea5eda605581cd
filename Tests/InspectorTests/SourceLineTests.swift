// SourceLineTests — reports say at which line of its source each function of the program is.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct SourceLineTests {
  private let folder: TemporaryFolder
  private let source: HungSource
  private let hung: HungProgramTests.Hung

  init() throws {
    folder = try TemporaryFolder()
    source = try HungSource()
    hung = try #require(HungProgramTests.all.first { $0.scenario == .hungTwoQueues })
  }

  /// Runs the body with a process in which two queues wait for each other.
  private func hang(_ path: String, _ body: (pid_t) throws -> Void) throws {
    let program = try LiveProgram(ChildProgram(path: path), [hung.scenario.rawValue])
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try HungProgramTests().line(of: hung, program.process) != nil)
      try body(program.process)
    }
  }

  private func report(_ words: String...) throws -> String {
    let outcome = try ChildProgram("signalbox").run(["report"] + words)
    #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
    return outcome.standardOutput
  }

  /// The lines of the closures that wait, in the order of the report.
  private func closures(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter {
      $0.hasPrefix("    at closure #") && $0.contains("begin()")
    }
  }

  private var expected: Set<Int> {
    get throws {
      [
        try source.line(of: "b.sync {}", in: hung.scenario),
        try source.line(of: "a.sync {}", in: hung.scenario),
      ]
    }
  }

  /// The text without the places of the sources.
  private func withoutLines(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      guard line.hasPrefix("    at "), line.hasSuffix(")"), let open = line.lastIndex(of: "("),
        line[open...].contains(":")
      else { return "\(line)\n" }
      return "\(line[..<open].dropLast())\n"
    }.joined()
  }

  @Test func eachWaitNamesItsLine() throws {
    try hang(ChildProgram("CountedFacts").path) { process in
      let frames = closures(try report("\(process)"))
      #expect(Set(frames.compactMap { HungSource.line(of: $0) }) == (try expected), "\(frames)")
    }
  }

  @Test func theWholePathIsInJSON() throws {
    try hang(ChildProgram("CountedFacts").path) { process in
      let json = try StrictJSON(try report("\(process)", "--json"))
      let threads = try #require(json["engines"].items.first)["threads"].items
      let frames = threads.flatMap { $0["frames"].items }
      let own = frames.filter { $0["function"].text?.contains(" in CountedFacts.HungScen") == true }
      #expect(Set(own.compactMap { $0["line"].number.map { Int($0) } }) == (try expected))
      #expect(own.allSatisfy { $0["source"].text == HungSource.path }, "\(own)")
      // A library without line tables.
      let other = frames.filter { $0["file"].text?.hasPrefix("libc.so") == true }
      #expect(!other.isEmpty && other.allSatisfy { $0["line"] == .null && $0["source"] == .null })
    }
  }

  /// With what is asked of `strip` and `objcopy`, a program has its symbols, and no line tables that are read.
  @Test(arguments: ["--strip-debug", "--compress-debug-sections"])
  func aProgramWithoutTablesIsReportedWithoutLines(_ option: String) throws {
    let path = "\(folder.path)/CountedFacts"
    let facts = try ChildProgram("CountedFacts").path
    let copy = try ChildProgram(path: "/usr/bin/objcopy").run([option, facts, path])
    try #require(copy.exit == .code(0), "\(copy)")
    try hang(path) { process in
      let frames = closures(try report("\(process)"))
      #expect(frames.count == 2 && frames.allSatisfy { $0.hasSuffix(" in CountedFacts") })
    }
  }

  /// The names and lines come from the file before it was stripped, or from its symbols alone.
  @Test func theFunctionsOfAStrippedProgramAreNamedByItsSymbols() throws {
    let facts = try ChildProgram("CountedFacts").path
    let stripped = "\(folder.path)/CountedFacts", symbols = "\(folder.path)/symbols"
    for (tool, words) in [
      ("strip", ["-o", stripped, facts]), ("objcopy", ["--only-keep-debug", facts, symbols]),
    ] {
      let copy = try ChildProgram(path: "/usr/bin/\(tool)").run(words)
      try #require(copy.exit == .code(0), "\(copy)")
    }
    try hang(stripped) { process in
      let nameless = try report("\(process)")
      #expect(closures(nameless).isEmpty && nameless.contains("    at CountedFacts + 0x"))
      let note = try #require(
        nameless.split(separator: "\n").first { $0.contains("functions of CountedFacts (") })
      let buildID = try #require(note.split(separator: "build ID ").last?.prefix { $0 != ")" })
      #expect(buildID.count >= 16 && note.contains("--symbols FILE"), "\(note)")
      let json = try StrictJSON(try report("\(process)", "--json"))
      let threads = try #require(json["engines"].items.first)["threads"].items
      let own = threads.flatMap { $0["frames"].items }.filter { $0["file"].text == "CountedFacts" }
      #expect(!own.isEmpty && own.allSatisfy { $0["buildID"].text == String(buildID) })
      for file in [facts, symbols] {
        let named = try report("\(process)", "--symbols", file)
        let lines = closures(named).compactMap { HungSource.line(of: $0) }
        #expect(Set(lines) == (try expected), "\(file): \(named)")
        #expect(!named.contains("were not found"), "\(file): \(named)")
      }
      let other = try report("\(process)", "--symbols", ChildProgram("AsyncMainFacts").path)
      #expect(other.contains("has the symbols of no function on a stack"), "\(other)")
      #expect(other.contains("    at CountedFacts + 0x"), "\(other)")
    }
    let program = try KernelCore.start(facts, [hung.scenario.rawValue], in: folder.path)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try HungProgramTests().line(of: hung, program.process) != nil)
      let core = try core(of: program, .debugger)
      #expect(closures(try report("--core", core, stripped)).isEmpty)
      let named = try report("--core", core, stripped, "--symbols", symbols)
      let lines = closures(named).compactMap { HungSource.line(of: $0) }
      #expect(Set(lines) == (try expected), "\(named)")
    }
  }

  @Test func whatHasNoSymbolsIsNamed() throws {
    let none = try ChildProgram("signalbox").run(
      ["report", "\(getpid())", "--symbols", "\(folder.path)/none"])
    #expect(none.exit == .code(1) && none.standardOutput.isEmpty)
    #expect(none.standardError.contains("the symbols of \(folder.path)/none cannot be read: "))
    let text = "\(folder.path)/text"
    try CoreWriter.write(Array("nothing".utf8), to: text)
    let other = try ChildProgram("signalbox").run(["report", "\(getpid())", "--symbols", text])
    #expect(other.exit == .code(1))
    #expect(other.standardError.contains("cannot be read: it is no ELF file of 64 bits"))
  }

  enum Writer { case kernel, debugger }

  private func core(of program: LiveProgram, _ writer: Writer) throws -> String {
    if writer == .kernel { return try #require(try KernelCore.end(program, in: folder.path)) }
    let gcore = try ChildProgram(path: "/usr/bin/gcore").run(
      ["-o", "\(folder.path)/core", "\(program.process)"])
    try #require(gcore.exit == .code(0), "\(gcore)")
    return "\(folder.path)/core.\(program.process)"
  }

  /// A debugger leaves out the code of libraries, which is in their files.
  @Test(arguments: KernelCore.isWritten ? [Writer.kernel, .debugger] : [.debugger])
  func aCoreNamesTheLinesThatItsProgramHas(_ writer: Writer) throws {
    let facts = try ChildProgram("CountedFacts").path, stripped = "\(folder.path)/stripped"
    let copy = try ChildProgram(path: "/usr/bin/strip").run(
      ["--strip-debug", "-o", stripped, facts])
    try #require(copy.exit == .code(0), "\(copy)")
    let program = try KernelCore.start(facts, [hung.scenario.rawValue], in: folder.path)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try HungProgramTests().line(of: hung, program.process) != nil)
      let core = try core(of: program, writer)
      let with = try report("--core", core), without = try report("--core", core, stripped)
      let lines = closures(with).compactMap { HungSource.line(of: $0) }
      #expect(Set(lines) == (try expected), "\(with)")
      #expect(!without.contains(".swift:") && closures(without).count == 2, "\(without)")
      #expect(withoutLines(with) == withoutLines(without))
    }
  }
}
