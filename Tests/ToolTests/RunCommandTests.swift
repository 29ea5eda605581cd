// RunCommandTests — `signalbox run`: what it sets up, and the programs that it refuses.
//
// A copy of the toolchain's libdispatch.so stands for ours: the command only decides which file
// the dynamic linker takes.

import Glibc
import SignalboxTestSupport
import Testing

@Suite struct RunCommandTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    let own = try ChildProgram("AsyncMainFacts").path
    let loaded = try ChildProgram(path: own).run(environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
    let words = loaded.standardOutput.split(whereSeparator: \.isWhitespace)
    let at = try #require(words.firstIndex(of: "libdispatch.so"))
    library = String(words[at + 2])
    try #require(symlink(library, "\(folder.path)/libdispatch.so") == 0)
  }

  private func run(
    _ words: String..., environment: [String: String] = [:]
  ) throws -> ChildProgram.Outcome {
    let ours = ["SIGNALBOX_LIBRARY_FOLDER": folder.path]
    return try ChildProgram("signalbox").run(
      words, environment: ours.merging(environment) { $1 })
  }

  // MARK: The environment

  @Test func theProgramFindsOurLibraryFirst() throws {
    let facts = try run("run", "--late", "env").facts
    #expect(facts["LD_LIBRARY_PATH"] == folder.path)
    #expect(facts["SIGNALBOX_RUN_BEFORE"] == "-")
  }

  @Test(arguments: ["", "/x:/y"]) func whatWasThereBeforeComesBehind(_ before: String) throws {
    let facts = try run("run", "--late", "env", environment: ["LD_LIBRARY_PATH": before]).facts
    #expect(facts["LD_LIBRARY_PATH"] == "\(folder.path):\(before)")
    #expect(facts["SIGNALBOX_RUN_BEFORE"] == "=\(before)")
  }

  @Test func childrenKeepTheSettingIfAsked() throws {
    let facts = try run("run", "--late", "--children", "env").facts
    #expect(facts["LD_LIBRARY_PATH"] == folder.path)
    #expect(facts["SIGNALBOX_RUN_BEFORE"] == nil)
  }

  @Test func argumentsAndStatusAreTheProgramsOwn() throws {
    let outcome = try run(
      "run", "--late", "--", "sh", "-c", "echo \"$0 $1\"; exit 7", "--late", "b")
    #expect(outcome.exit == .code(7) && outcome.standardOutput == "--late b\n")
    #expect(outcome.standardError.isEmpty)
  }

  @Test func verboseTellsWhatItDoes() throws {
    let outcome = try run("run", "--verbose", "swift-build", "--version")
    let told = outcome.standardError
    #expect(told.contains("/swift-build gets libdispatch.so from \(folder.path)/libdispatch.so"))
    #expect(told.contains("LD_LIBRARY_PATH=\(folder.path)"))
    #expect(outcome.exit == .code(0) && outcome.standardOutput.contains("Swift"))
  }

  // MARK: Refusals

  private func refuse(
    _ words: String..., because reason: String, environment: [String: String] = [:]
  ) throws {
    let ours = ["SIGNALBOX_LIBRARY_FOLDER": folder.path]
    let outcome = try ChildProgram("signalbox").run(
      ["run"] + words, environment: ours.merging(environment) { $1 })
    #expect(outcome.exit == .code(126), "\(words): \(outcome)")
    #expect(outcome.standardError.contains(reason), "\(words): \(outcome.standardError)")
    #expect(outcome.standardOutput.isEmpty)
  }

  @Test func aProgramWithoutLibdispatchIsRefused() throws {
    try refuse("true", because: "true does not load libdispatch.so")
    try folder.write("script", "#!/bin/sh\necho no\n")
    try #require(chmod("\(folder.path)/script", 0o755) == 0)
    try refuse("\(folder.path)/script", because: "/bin/sh does not load libdispatch.so")
  }

  @Test func aStaticProgramIsRefused() throws {
    try image("static", machine: nil)
    try refuse("\(folder.path)/static", because: "statically linked")
  }

  @Test func aProgramForAnotherMachineIsRefused() throws {
    try image("foreign", machine: 8)
    try refuse("\(folder.path)/foreign", because: "for another machine (ELF machine 8")
  }

  @Test func aProgramWithFurtherRightsIsRefused() throws {
    try image("rights", machine: nil, interpreter: true)
    try #require(chmod("\(folder.path)/rights", 0o4755) == 0)
    try refuse("\(folder.path)/rights", because: "set-user-ID")
  }

  @Test func aFileThatIsNoProgramIsRefused() throws {
    try folder.write("text", "hello")
    try refuse("\(folder.path)/text", because: "neither a 64-bit ELF program nor a script")
    try folder.write("short", "\u{7F}ELF\u{2}\u{1}")
    try refuse("\(folder.path)/short", because: "neither a 64-bit ELF program nor a script")
  }

  @Test func aMissingLibraryIsNamed() throws {
    try refuse(
      "env", because: "/nowhere/libdispatch.so: No such file or directory",
      environment: ["SIGNALBOX_LIBRARY_FOLDER": "/nowhere"])
  }

  @Test func wrongArgumentsShowTheUsage() throws {
    let misuses: [[String]] = [
      [], ["walk"], ["run"], ["run", "--quick", "env"], ["run", "--"], ["run", ""],
      ["run", "no-such-program"], ["run", "/no/such/program"],
    ]
    for words in misuses {
      let outcome = try ChildProgram("signalbox").run(words)
      #expect(outcome.exit == .code(2), "\(words)")
      #expect(outcome.standardError.hasPrefix("signalbox: "))
      #expect(outcome.standardError.contains("usage: ") && outcome.standardOutput.isEmpty)
    }
    for words in [["--help"], ["run", "-h"]] {
      let help = try ChildProgram("signalbox").run(words)
      #expect(help.exit == .code(0) && help.standardOutput.hasPrefix("usage: signalbox run "))
    }
  }

  // MARK: Programs that bring an engine

  @Test func aProgramWithAnEngineOfItsOwnKeepsIt() throws {
    let outcome = try run("run", try ChildProgram("CountedFacts").path)
    #expect(outcome.standardError.contains("brings its own Signalbox"))
    #expect(outcome.standardError.contains("usage: CountedFacts"))
  }

  /// Writes the headers of a 64-bit program.
  private func image(_ name: String, machine: UInt8?, interpreter: Bool = false) throws {
    let own = try headers(of: ChildProgram("signalbox").path)
    var bytes = [UInt8](repeating: 0, count: 64 + 56)
    bytes[..<6] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]
    bytes[18] = machine ?? own[18]
    bytes[32] = 64
    bytes[54] = 56
    bytes[56] = 1
    bytes[64] = interpreter ? 3 : 1
    let file = try #require(fopen("\(folder.path)/\(name)", "we"))
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    try #require(chmod("\(folder.path)/\(name)", 0o755) == 0)
  }

  private func headers(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    try #require(fread(&bytes, 1, 64, file) == 64)
    return bytes
  }
}
