// HungSource — the text of the scenarios that hang, for the lines that reports name.

import CountedFacts
import Testing

@testable import SignalboxInspector

struct HungSource {
  private let lines: [Substring]

  /// What the lines of reports say of the file.
  static let place = "CountedFacts/Reports/Hung.swift"
  static let path =
    #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/\(place)"

  /// The calls of Signalbox in which the scenarios hang.
  private static let calls = [
    ".sync {", ".lock()", ".wait()", ".join()", ".lockForWriting()", ".waitUntilFinished()",
    ".waitUntilAllOperationsAreFinished()",
  ]

  init() throws {
    let text = try #require(ProcessFile.text(HungSource.path), "\(HungSource.path)")
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The number of the line, from 1 on, that a frame of this file ends with; nil if it names another place or none.
  static func line(of frame: some StringProtocol) -> Int? {
    let begin = " in CountedFacts (\(place):"
    guard frame.hasSuffix(")"), let start = frame.ranges(of: begin).last?.upperBound else {
      return nil
    }
    return Int(frame[start...].dropLast())
  }

  /// Whether the line is one of the scenario's.
  func has(_ line: Int, in scenario: HungScenario) -> Bool {
    let begin = lines.firstIndex { $0.hasPrefix("    case .\(scenario):") }
    guard let begin, lines.indices.contains(line - 1), line - 1 > begin else { return false }
    return !lines[(begin + 1)..<line].contains { $0.hasPrefix("    case .") }
  }

  /// Whether the line has a call that waits.
  func waits(at line: Int) -> Bool {
    lines.indices.contains(line - 1)
      && HungSource.calls.contains { lines[line - 1].contains($0) }
  }

  /// The only line of a scenario with this text.
  func line(of text: String, in scenario: HungScenario) throws -> Int {
    let found = (1...lines.count).filter { lines[$0 - 1].contains(text) && has($0, in: scenario) }
    try #require(found.count == 1, "\(text)")
    return found[0]
  }
}
