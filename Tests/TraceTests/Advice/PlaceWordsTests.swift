// PlaceWordsTests — the names of Dispatch's C functions are those that the package defines.

import SignalboxDiagnostics
import Testing

import struct Foundation.URL
import class Foundation.FileManager

@Suite struct PlaceWordsTests {
  private var sources: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
  }

  private func files(_ module: String, _ suffix: String) throws -> [String] {
    let folder = sources.appendingPathComponent(module)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.filter { $0.hasSuffix(suffix) }.map {
      try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
    }
  }

  @Test func eachFunctionOfTheInterfaceIsKnown() throws {
    var defined: Set<Substring> = []
    for file in try files("SignalboxDropIn", ".swift") {
      defined.formUnion(file.matches(of: /@_cdecl\("(\w+)"\)/).map(\.1))
    }
    for file in try files("CSignalboxDropIn", ".c") {
      defined.formUnion(
        file.matches(of: /(?m)^\w[\w *]*?\b((?:_?dispatch|libdispatch)_\w+)\(/).map(\.1))
    }
    defined = defined.filter { !$0.hasPrefix("csd_") }
    #expect(defined.count > 100)
    #expect(PlaceWords.interface.symmetricDifference(defined).sorted() == [])
  }
}
