// `signalbox report` on kernels that lack the newer calls, all refused at once.

import CountedFacts
import SignalboxTestSupport
import Testing

@Suite struct OlderKernelReportTests {
  /// The numbers of the first call that is missing: Linux 5.10, and before 5.1.
  @Test(arguments: [441, 424])
  func aProcessIsReadWithoutTheNewerCalls(_ first: Int) throws {
    let program = try LiveProgram(HungScenario.hungSemaphore)
    try withExtendedLifetime(program) {
      try #require(program.waitForFact("hangs"))
      let tool = try ChildProgram("signalbox").path
      let words = "\"waiter\") waits for a signal of the semaphore at 0x"
      let deadline = Uptime.now() + RealTime.wedge
      while true {
        let outcome = try ChildProgram.run(
          OlderKernelScenario.onAnOlderKernel, ["\(first)", tool, "report", "\(program.process)"])
        try #require(outcome.exit == .code(0), "\(outcome.standardError)")
        // It hangs soon after it has said so.
        if outcome.standardOutput.contains(words) { return }
        try #require(Uptime.now() < deadline, "\(outcome.standardOutput)")
      }
    }
  }
}
