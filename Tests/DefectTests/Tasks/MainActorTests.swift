// MainActorTests — D37: main-actor code stays on the process's first thread.

import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct MainActorTests {
  /// The toolchain's first thread sleeps forever once an `async` main has waited; main-actor
  /// code then runs on any worker.
  @Test(.adopting, arguments: [true, false])
  func anAsyncMainStaysOnTheFirstThread(_ isAdopted: Bool) throws {
    let outcome = try ChildProgram("AsyncMainFacts").run(
      ["async-main", "where-an-async-main-is"],
      environment: ["SIGNALBOX_EXECUTORS": isAdopted ? "1" : "0"])
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["atStart"] == "true")
    #expect(outcome.facts["looks"] == "40")
    // Without adoption the program shows the defect itself.
    #expect((outcome.facts["strays"] == "0") == isAdopted)
  }
}
