// MixedTests — Signalbox's import lines and the product SignalboxDropIn in one program.

import Testing

@Suite struct MixedTests {
  @Test(arguments: [
    "ownLoop", "foundationsLoop", "dispatchMain", "adoptedExecutors", "bridgedQueue",
  ])
  func bothWaysWorkInOneProcess(_ scenario: String) throws {
    let run = try Program(name: "MixedProgram").run([scenario])
    #expect(run.output == "done\n" && run.errors == "" && run.status == 0, "\(run)")
  }
}
