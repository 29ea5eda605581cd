// FileSourceTests — D14: the toolchain has no sources of file system objects and of memory
// pressure. A process of its own counts what they cost.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct FileSourceTests {
  private func facts(_ scenario: any CountedScenario, _ arguments: String...) throws -> [String:
    String]
  {
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome.facts
  }

  /// Other processes' use of memory does not wake the process; only pressure on this machine
  /// does.
  @Test func liveSourcesMakeNoWakeUps() throws {
    // In the kernel, a waiting thread stirs and waits on whenever any process of the control
    // group stops watching its memory. So the test takes one of a few runs in which no other
    // test does that.
    var facts: [String: String] = [:]
    for _ in 0..<4 where facts["wakeUps"] != "0" {
      facts = try self.facts(FileSourceScenario.wakeUpsWithFileAndPressureSources, "10", "5")
      #expect(facts["told"] == "20")
    }
    if facts["levels"] == "0" { #expect(facts["wakeUps"] == "0") }
  }

  /// Each source has its program's own descriptor. All other open descriptors are the same for
  /// one source as for hundreds.
  @Test func sourcesShareOneDescriptor() throws {
    let facts = try facts(FileSourceScenario.descriptorsOfFileAndPressureSources, "400")
    #expect(facts["whileWatched"] == "400")
    #expect(facts["afterwards"] == "0")
    let ofPressure = try #require(facts["ofPressure"].flatMap { Int($0) })
    #expect((0...4).contains(ofPressure))
    #expect(facts["afterPressure"] == "0")
  }

  @Test func aForkedChildHasItsOwnSourcesAndLeavesTheParentsAlone() throws {
    let facts = try facts(FileSourceScenario.fileSourcesAndFork)
    #expect(facts["child"] == "0")
    #expect(facts["parent"] == "goes on")
  }

  /// The kernel drops events that nothing reads in time. The library then finds the changes by
  /// looking at every file.
  @Test func afterAQueueOverflowEachSourceReportsWhatHasChanged() throws {
    let facts = try facts(FileSourceScenario.aFullQueueOfFileEvents, "8192")
    #expect(facts["wasFull"] == "true")
    // Written, extended, attributes (the file is too new to be sure), renamed.
    #expect(facts["changed"] == "\(0x2 | 0x4 | 0x8 | 0x20)")
    #expect(facts["quiet"] == "0")
  }
}
