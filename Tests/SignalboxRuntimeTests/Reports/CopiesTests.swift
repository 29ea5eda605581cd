// CopiesTests — a process that has loaded the library twice reports it once.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("Two copies", .guarded, .serialized, .enabled(if: Compiler.isThere, "there is no clang"))
struct CopiesTests {
  /// Builds shared libraries, each with the part of a copy that reports.
  private struct Build {
    private let folder: TemporaryFolder
    private let sources: String

    init() throws {
      folder = try TemporaryFolder()
      let place = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
      sources = "/\(place)/Sources/CSignalbox"
    }

    func library(_ name: String) throws -> String {
      let path = "\(folder.path)/lib\(name).so"
      try Compiler.run(
        ["-shared", "-fPIC", "-O2", "-I\(sources)/include", "-Wl,--gc-sections", "-o", path] + copy)
      return path
    }

    /// Builds a program with or without a copy of its own and links it to libraries.
    func program(withCopy: Bool, _ libraries: [String]) throws -> String {
      let path = "\(folder.path)/program"
      try folder.write("main.c", "int main(void) { return 0; }\n")
      try Compiler.run(
        [
          "-o", path, "\(folder.path)/main.c", "-I\(sources)/include", "-Wl,--no-as-needed",
          "-Wl,--gc-sections",
        ] + (withCopy ? copy : []) + libraries)
      return path
    }

    private var copy: [String] { ["copies.c", "trap.c"].map { "\(sources)/\($0)" } }
  }

  private func reports(_ outcome: ChildProgram.Outcome) -> [Substring] {
    outcome.standardError.split(separator: "\n").filter { $0.contains("copies of Signalbox") }
  }

  @Test func oneCopyIsSilent() throws {
    let build = try Build()
    for withCopy in [true, false] {
      let libraries = withCopy ? [] : [try build.library("one")]
      let program = try build.program(withCopy: withCopy, libraries)
      let outcome = try ChildProgram(path: program).run()
      #expect(outcome.exit == .code(0))
      #expect(outcome.standardError == "")
    }
  }

  @Test(arguments: [false, true])
  func copiesLinkedTogetherAreReportedOnce(_ programHasOne: Bool) throws {
    let build = try Build()
    let libraries = [try build.library("one"), try build.library("two")]
    let program = try build.program(withCopy: programHasOne, libraries)
    let outcome = try ChildProgram(path: program).run()
    #expect(outcome.exit == .code(0))
    let reports = reports(outcome)
    #expect(reports.count == 1, "\(outcome.standardError)")
    let report = try #require(reports.first)
    #expect(report.contains("\(programHasOne ? 3 : 2) copies"))
    #expect(report.contains("the program") == programHasOne)
    for library in libraries { #expect(report.contains(library)) }
  }

  /// A Swift program and a plug-in with a copy of its own.
  @Test func aCopyThatIsLoadedLaterIsReported() throws {
    let build = try Build()
    let outcome = try withExtendedLifetime(build) {
      try ChildProgram.run(
        MachineScenario.secondCopy, [build.library("plugin")])
    }
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(reports(outcome).count == 1)
    #expect(reports(outcome).first?.contains("2 copies") == true)
  }
}

/// The C compiler of the toolchain.
private enum Compiler {
  static let path = find("clang")
  static var isThere: Bool { path != nil }

  private static func find(_ name: String) -> String? {
    guard let folders = getenv("PATH") else { return nil }
    return String(cString: folders).split(separator: ":").map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }

  static func run(_ arguments: [String]) throws {
    let outcome = try ChildProgram(path: path!).run(arguments)
    try #require(outcome.exit == .code(0), "\(outcome.standardError)")
  }
}
