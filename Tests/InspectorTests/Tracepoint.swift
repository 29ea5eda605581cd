// Tracepoint — a static tracepoint, as the header declares it, and as a file notes it.

import SignalboxTestSupport
import Testing

@testable import SignalboxInspector

struct Tracepoint {
  struct Parameter {
    let name: String
    let isString: Bool
  }

  let name: String
  let parameters: [Parameter]

  /// Those of the header of this checkout.
  static func declared() throws -> [Tracepoint] {
    let text = try file("Sources/CSignalbox/include/CSignalbox/tracepoints.h")
    let start = "void csb_usdt_"
    let all = text.ranges(of: start).map { range in
      let declaration = text[range.upperBound...].prefix { $0 != ")" }
      let parts = declaration.split(separator: "(", maxSplits: 1)
      let parameters = parts[1].split(separator: ",").map { parameter in
        let name = parameter.split { !$0.isLetter && $0 != "_" }.last ?? ""
        return Parameter(name: String(name), isString: parameter.contains("const char *"))
      }
      return Tracepoint(name: String(parts[0]), parameters: parameters)
    }
    try #require(!all.isEmpty)
    return all
  }

  /// What is between `bpftrace … -e '` and `'`, in the article's order.
  static func programsOfTheArticle() throws -> [String] {
    let text = try file("Documentation/Signalbox.docc/StaticTracepoints.md")
    return text.ranges(of: "bpftrace -p 4711 -e '").map { range in
      String(text[range.upperBound...].prefix { $0 != "'" })
    }
  }

  /// A text of this checkout.
  private static func file(_ path: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    return String(decoding: try ProcessFile.read("\(root)/\(path)").get(), as: UTF8.self)
  }
}

struct TracepointNote {
  let name: String
  let location, base, semaphore: UInt64
  let arguments: String

  /// Those of the provider `signalbox`, in what `readelf -n` prints.
  static func all(in text: String) -> [TracepointNote] {
    text.ranges(of: "Provider: signalbox\n").compactMap { range in
      let lines = text[range.upperBound...].split(
        separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
      guard lines.count > 2 else { return nil }
      let numbers = lines[1].split(separator: ",").map { part in
        UInt64(part.split(separator: "0x").last ?? "", radix: 16) ?? 0
      }
      func value(_ line: Substring) -> String {
        String(line.split(separator: ": ", maxSplits: 1).last ?? "")
      }
      guard numbers.count == 3 else { return nil }
      return TracepointNote(
        name: value(lines[0]), location: numbers[0], base: numbers[1], semaphore: numbers[2],
        arguments: value(lines[2]))
    }
  }
}
