// The toolchain's backtrace of a trap shows where the program made the mistake.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("A trap's backtrace") struct BacktraceTests {
  @Test func showsTheCallersOfATrap() throws {
    let wanted = "threads=crashed,registers=none,images=none,color=no,interactive=no"
    let outcome = try ChildProgram.run(
      MainMisuseScenario.syncOntoMainFromTheMainThread,
      environment: ["SWIFT_BACKTRACE": "enable=yes,timeout=100s," + wanted])
    #expect(outcome.exit == .signal(SIGABRT))
    #expect(outcome.standardError.contains("MainMisuse.swift"), "\(outcome.standardError)")
  }
}
