// CompiledLineTests — line tables as compilers, assemblers and linkers write them.

import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

@Suite(.enabled(if: CLibrary.compiler != nil, "there is no clang")) struct CompiledLineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func lines(_ library: CLibrary) throws -> [SourceLine?] {
    let file = try FileBytes(library.path)
    let sections = try #require(ELFSections(file))
    let lines = try #require(SourceLines(file, sections))
    let addresses = try CLibrary.functions.map { try library.address(in: $0) - 1 }
    let found = lines.lines(of: addresses.map { LinePlace(address: $0, function: nil) })
    return addresses.map { found[$0] }
  }

  /// The clang of the toolchain with its own assembler and with the system's.
  @Test(
    arguments: [2, 3, 4, 5],
    [["-O0"], ["-O2", "-ffunction-sections"], ["-O0", "-fno-integrated-as"]])
  func everyVersionNamesTheLineOfACall(_ version: Int, _ options: [String]) throws {
    let library = try CLibrary(in: folder, ["-gdwarf-\(version)"] + options, source: "lines.c")
    let lines = try lines(library)
    for (function, line) in zip(CLibrary.functions, lines) {
      let line = try #require(line, "\(function)")
      #expect(line.line == (try CLibrary.line(of: function)), "\(function)")
      #expect(line.words.hasSuffix("sources/lines.c:\(line.line)"), "\(line)")
      // Only version 5 always has the folder in which the compiler ran.
      let (short, whole) = ("sources/lines.c", "\(folder.path)/sources/lines.c")
      #expect(line.path == whole || version < 5 && line.path == short, "\(line)")
    }
  }

  @Test func aLibraryWithoutTablesHasNoLines() throws {
    let library = try CLibrary(in: folder, ["-g0"], source: "lines.c")
    let file = try FileBytes(library.path)
    let sections = try #require(ELFSections(file))
    #expect(SourceLines(file, sections) == nil)
  }

  @Test func tablesWithOffsetsOf64BitsAreLeftOut() throws {
    let options = ["-gdwarf-5", "-gdwarf64"]
    let library = try CLibrary(in: folder, options, source: "lines.c")
    #expect(try lines(library) == [nil, nil, nil])
  }

  @Test func aPathCannotControlATerminal() throws {
    let library = try CLibrary(in: folder, ["-g"], source: "a\u{1B}[2J\u{202E}.c")
    for line in try lines(library) {
      #expect(try #require(line).words.contains("/a\\u{1B}[2J\\u{202E}.c:"))
    }
  }
}
