// Kernels that lack the newer calls, as Documentation/Kernels.md says: all of them refused at
// once, from a program's start; and one at a time, as a sandbox refuses them.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("Newer refused calls", .guarded)
struct NewerRefusedCallTests {
  /// The number of the first call that is missing.
  enum Kernel: Int, CaseIterable {
    /// Linux 5.10: the first later call is epoll_pwait2.
    case fiveTen = 441
    /// Linux 4.18 to 5.0, which lack pidfd_open and clone3 too.
    case beforeFiveOne = 424
  }

  private func run(on kernel: Kernel) throws -> ChildProgram.Outcome {
    try ChildProgram.run(
      OlderKernelScenario.onAnOlderKernel,
      ["\(kernel.rawValue)", "/proc/self/exe", OlderKernelScenario.workOfEveryKind.rawValue])
  }

  private func expectAllWork(_ outcome: ChildProgram.Outcome, child: String = "told") {
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    let expected = [
      "items": "100", "timers": "fired", "reading": "told", "signal": "told", "file": "told",
      "channels": "true", "loopTimer": "true", "loopWakeUp": "true", "child": child,
      "status": "\(256 + SIGKILL)", "report": "true", "main": "ran",
    ]
    for (name, value) in expected {
      #expect(outcome.facts[name] == value, "\(name): \(outcome.standardError)")
    }
  }

  @Test func allCallsNewerThanFiveTenHaveAFallback() throws {
    let outcome = try run(on: .fiveTen)
    #expect(outcome.facts["hasCall441"] == "false" && outcome.facts["hasCall434"] == "true")
    expectAllWork(outcome)
    #expect(outcome.standardError == "")
  }

  /// Only process sources are missing, and they say so.
  @Test func onAKernelBeforeFiveOneOnlyProcessSourcesAreMissing() throws {
    let outcome = try run(on: .beforeFiveOne)
    #expect(outcome.facts["hasCall424"] == "false" && outcome.facts["hasCall434"] == "false")
    expectAllWork(outcome, child: "refused")
    #expect(
      outcome.standardError.contains("pidfd_open failed with errno \(ENOSYS)")
        && outcome.standardError.contains("the kernel is older than Linux 5.3"))
    #expect(outcome.standardError.split(separator: "\n").count == 1, "\(outcome.standardError)")
  }

  @Test(
    arguments: ["epoll_pwait2", "preadv2", "pwritev2", "process_vm_readv"],
    RefusedCallTests.errors)
  func allWorkContinuesWithoutOneCall(_ call: String, _ error: Int32) throws {
    let outcome = try ChildProgram.run(
      OlderKernelScenario.workOfEveryKind, [call, "\(error)"])
    expectAllWork(outcome)
    #expect(outcome.standardError == "")
  }
}
