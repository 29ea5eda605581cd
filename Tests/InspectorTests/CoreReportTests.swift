// CoreReportTests — `signalbox report --core` of processes that hung. Each names thread, object and holder.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite struct CoreReportTests {
  private func report(_ core: String, _ words: String...) throws -> String {
    let outcome = try ChildProgram("signalbox").run(["report", "--core", core] + words)
    #expect(outcome.exit == .code(0) && outcome.standardError.isEmpty, "\(outcome)")
    return outcome.standardOutput
  }

  @Test(arguments: HungProgramTests.all)
  func theReportNamesThreadObjectAndHolder(_ hung: HungProgramTests.Hung) throws {
    let folder = try TemporaryFolder()
    let facts = try ChildProgram("CountedFacts").path
    let program = try KernelCore.start(facts, [hung.scenario.rawValue], in: folder.path)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try HungProgramTests().line(of: hung, program.process) != nil)
      var writer = try CoreWriter(of: program.process)
      let own = "\(folder.path)/own"
      try writer.write(to: own)
      let text = try report(own)
      #expect(hung.line(in: text, isCore: true) != nil, "\(text)")
      #expect(text.hasPrefix("core of process \(program.process) (CountedFacts)\n"), "\(text)")
      if KernelCore.isWritten {
        // The main thread says that it hangs just before it does.
        let deadline = Uptime.now() + RealTime.wedge
        func isPausing() throws -> Bool {
          let text = try ChildProgram("signalbox").run(["report", "\(program.process)"])
            .standardOutput
          return text.split(separator: "\n").contains {
            $0.contains(", the main thread) ") && $0.contains(" in pause(2)")
          }
        }
        while try !isPausing() { try #require(Uptime.now() < deadline) }
        let core = try #require(try KernelCore.end(program, in: folder.path))
        let text = try report(core)
        #expect(hung.line(in: text, isCore: true) != nil, "\(text)")
        let words =
          "core of process \(program.process) (CountedFacts), which was ended by signal 6 ("
        #expect(text.hasPrefix(words), "\(text)")
        #expect(text.contains(", the main thread) got the signal, in pause(2)\n"), "\(text)")
        #expect(!text.contains("cannot be used"), "\(text)")
        #expect(try hung.hasFunctions(text), "\(text)")
        // Also of threads that wait in no call of Signalbox.
        let run =
          "\n    at CountedFacts.HungScenario.run() -> () in CountedFacts (\(HungSource.place):"
        #expect(text.contains(run), "\(text)")
      }
    }
  }

  @Test func theReportIsStrictJSON() throws {
    let folder = try TemporaryFolder()
    let hung = try #require(HungProgramTests.all.first)
    let program = try LiveProgram(hung.scenario)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      try #require(try HungProgramTests().line(of: hung, program.process) != nil)
      var writer = try CoreWriter(of: program.process)
      let core = "\(folder.path)/core"
      try writer.write(to: core)
      let json = try StrictJSON(try report(core, "--json"))
      #expect(json["core"].text == core && json["uptime"] == .null && json["signal"] == .null)
      #expect(json["process"].number == Double(program.process))
      let engine = try #require(json["engines"].items.first)
      #expect(engine["cycles"].items.first?.items.count == 2)
      #expect(engine["threads"].items.allSatisfy { $0["wait"]["length"] == .null })
    }
  }

  /// Constants are in the program's file alone.
  @Test func aProgramThatWasMovedIsNamedByTheUser() throws {
    let folder = try TemporaryFolder()
    let (here, there) = ("\(folder.path)/here", "\(folder.path)/there")
    let image = ProcessImage()
    image.thread(1, holder: 2)
    let record = image.thread(2, holder: 1)
    let constant = 0x3_F100
    image.put("the lock with a constant name", at: constant)
    image.put(image.address(constant), at: image.field("title", of: record))
    var writer = CoreWriter(of: image)
    let last = CoreWriter.Segment(
      address: image.address(0x3_F000), size: 0x1000, isWritable: false)
    writer.segments[0].size = 0x3_F000
    writer.segments[0].bytes.removeLast(0x1000)
    writer.segments.append(last)
    writer.mappings[0].path = here
    writer.threads = [(1001, image.base), (1002, image.base)]
    let core = "\(folder.path)/core"
    try writer.write(to: core)

    try CoreWriter.write(image.bytes, to: here)
    #expect(try report(core).contains("waits for the lock with a constant name at 0x"))
    try #require(rename(here, there) == 0)
    let without = try report(core)
    #expect(without.contains("waits for something at 0x") && without.contains("\ndeadlock: "))
    let words =
      "\(here) is needed for what it has of constants and stacks, and cannot be used: No such file"
    #expect(without.contains(words), "\(without)")
    let with = try report(core, there)
    #expect(with.contains("a constant name") && !with.contains("cannot be used"), "\(with)")
    try refuse(core, "\(folder.path)/none", because: "No such file")
    try refuse(core, "/bin/true", because: "/bin/true is not the program of \(core): ")

    // Another file at the same place, with the same header and segments.
    var other = image.bytes
    other[0xFFF] ^= 1
    try CoreWriter.write(other, to: here)
    let reason =
      "cannot be used: it is not the file that ran: it differs from what the core has of it"
    #expect(try report(core).contains(reason))
    // The same file without its symbols.
    var stripped = image.bytes
    stripped[40] ^= 1
    try CoreWriter.write(stripped, to: here)
    #expect(try report(core).contains("a constant name"))
  }

  @Test func aFileIsTheOneThatRanByItsBuildID() throws {
    let folder = try TemporaryFolder()
    let program = try LiveProgram(HungScenario.hungSemaphore)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let path = "\(folder.path)/core", facts = try ChildProgram("CountedFacts").path
      var writer = try CoreWriter(of: program.process)
      try writer.write(to: path)
      let core = try CoreFile(path)
      let mapped = try #require(core.notes.mappings.first { $0.path.hasSuffix("/CountedFacts") })
        .path
      _ = try CoreFiles.open(facts, as: mapped, in: core)
      let stripped = "\(folder.path)/stripped"
      let strip = try ChildProgram(path: "/usr/bin/strip").run(["-o", stripped, facts])
      try #require(strip.exit == .code(0))
      _ = try CoreFiles.open(stripped, as: mapped, in: core)
      do {
        _ = try CoreFiles.open(try ChildProgram("AsyncMainFacts").path, as: mapped, in: core)
        Issue.record("another program was taken")
      } catch let error as FileMismatch {
        #expect(error.words.contains("its build ID is "), "\(error.words)")
      }
      // A file of symbols has the build ID.
      let symbols = "\(folder.path)/symbols"
      let copy = try ChildProgram(path: "/usr/bin/objcopy").run(
        ["--only-keep-debug", facts, symbols])
      try #require(copy.exit == .code(0))
      #expect(throws: FileMismatch.self) {
        try CoreFiles.open(symbols, as: mapped, in: core)
      }
    }
  }

  private func refuse(_ words: String..., because reason: String) throws {
    let outcome = try ChildProgram("signalbox").run(["report", "--core"] + words)
    #expect(outcome.exit == .code(1) && outcome.standardOutput.isEmpty, "\(outcome)")
    #expect(outcome.standardError.hasPrefix("signalbox: "))
    #expect(outcome.standardError.contains(reason), "\(outcome.standardError)")
    #expect(outcome.standardError.split(separator: "\n").count == 1)
  }

  // MARK: Refusals

  @Test func whatIsNoCoreIsNamed() throws {
    let folder = try TemporaryFolder()
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
      let path = "\(folder.path)/\(name)"
      try CoreWriter.write(bytes, to: path)
      return path
    }
    try refuse("\(folder.path)/none", because: "none: No such file or directory")
    try refuse(folder.path, because: "is not a regular file")
    try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    try refuse("\(folder.path)/pipe", because: "is not a regular file")
    try refuse(file("empty", []), because: "is not a core: it is no ELF file")
    try refuse(file("text", Array("nothing".utf8)), because: "is not a core: it is no ELF file")
    try refuse(
      file("packed", [0x28, 0xB5, 0x2F, 0xFD, 0]), because: "unpack it first, with `zstd -d`")
    try refuse(ChildProgram("CountedFacts").path, because: "is not a core, but a program")
    var image = CoreWriter(of: ProcessImage())
    var bytes = image.bytes()
    bytes[4] = 1
    try refuse(file("short", bytes), because: "is not of a 64-bit program")
    image.machine = 8
    try refuse(file("machine", image.bytes()), because: "from another machine (ELF machine 8, this")
    image = CoreWriter(of: ProcessImage())
    image.threads = []
    try refuse(file("threads", image.bytes()), because: "has no notes of threads")
  }

  @Test func aProcessWithoutSignalboxIsNamed() throws {
    let folder = try TemporaryFolder()
    try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    let program = try KernelCore.start(
      "/bin/sh", ["-c", "echo hangs=1; read a < \(folder.path)/pipe"], in: folder.path)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      var writer = try CoreWriter(of: program.process)
      try writer.write(to: "\(folder.path)/own")
      let words = "the core of process \(program.process) (sh), has no Signalbox in it"
      try refuse("\(folder.path)/own", because: words)
    }
  }

  @Test func aCoreWithoutThePagesNeededIsNamed() throws {
    let folder = try TemporaryFolder()
    let facts = try ChildProgram("CountedFacts").path
    let program = try KernelCore.start(
      facts, [HungScenario.hungSemaphore.rawValue], in: folder.path)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      var writer = try CoreWriter(of: program.process, hasPrivate: false)
      try writer.write(to: "\(folder.path)/own")
      let words = "does not contain the memory that the process has written to: bit 0 of its"
      try refuse("\(folder.path)/own", because: words)
      if KernelCore.isWritten {
        // Memory of files, their first pages, and what is shared.
        try CoreWriter.write(
          Array("0x32".utf8), to: "/proc/\(program.process)/coredump_filter")
        let core = try #require(try KernelCore.end(program, in: folder.path))
        try refuse(core, because: words)
      }
    }
  }

  @Test func aCoreThatIsCutIsRefusedOrReportedWithANote() throws {
    let folder = try TemporaryFolder()
    let image = ProcessImage()
    image.thread(1, holder: 2)
    image.thread(2, holder: 1)
    var writer = CoreWriter(of: image)
    // More memory behind it, with the threads' stacks first.
    writer.segments.append(
      CoreWriter.Segment(
        address: 0x7000_0000_0000, size: 8192, bytes: [UInt8](repeating: 7, count: 8192)))
    writer.segments.insert(
      CoreWriter.Segment(
        address: 0x1000_0000, size: 4096, bytes: [UInt8](repeating: 7, count: 4096)),
      at: 0)
    writer.threads = [(1001, 0x1000_0000), (1002, 0x1000_0000)]
    let whole = writer.bytes()
    let path = "\(folder.path)/core"
    func text(_ size: Int) throws -> String {
      try CoreWriter.write(Array(whole.prefix(size)), to: path)
      do { return try CoreTarget(path, program: nil).inspect().text } catch { return error.text }
    }
    let all = try text(whole.count)
    #expect(all.contains("deadlock: ") && !all.contains("is cut"), "\(all)")
    let most = try text(whole.count - 1)
    #expect(most.contains("deadlock: "), "\(most)")
    #expect(
      most.contains("the core is cut: it has \(whole.count - 1) of \(whole.count) bytes, so parts"))
    for size in stride(from: 65, to: whole.count, by: 997) {
      let text = try text(size)
      #expect(text.contains("is cut"), "\(size): \(text)")
    }
    #expect(try text(writer.memoryStart + 5000).contains("and none of them contains Signalbox"))
    #expect(try text(writer.memoryStart).contains("and nothing of a thread's stack"))
    #expect(try text(100).contains("is cut within its headers"))
  }

  @Test func wrongArgumentsShowTheUsage() throws {
    for words in [
      ["--core"], ["--core", ""], ["--core", "a", "b", "c"], ["--core", "a", "--core", "b"],
    ] {
      let outcome = try ChildProgram("signalbox").run(["report"] + words)
      #expect(outcome.exit == .code(2) && outcome.standardError.contains("usage: "), "\(words)")
    }
  }
}
