// Each host does all the errands, and sleeps when there are none.

import Foundation
import Testing

@Suite struct EmbeddingTests {
  /// What a program printed, a fact a line.
  private static func facts(_ program: String) throws -> [String: String] {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(program)
    process.arguments = ["2"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return text.split(separator: "\n").reduce(into: [:]) { facts, line in
      let parts = line.split(separator: "=")
      facts[String(parts[0])] = String(parts[1])
    }
  }

  @Test(arguments: ["PollLoop", "GLibLoop", "FrameLoop"])
  func hostServesItsGuestAndIsNotWokenWhileThatIsIdle(_ program: String) throws {
    let facts = try Self.facts(program)
    #expect(facts["items"] == "200")
    #expect(facts["performs"] == "50")
    #expect(facts["delays"] == "5")
    #expect(facts["idleWakeUps"] == "0")
    if program == "FrameLoop" { #expect(facts["frames"] == "30") }
  }
}
