// Signal and process sources for what does not exist, and for what is refused.

import CountedFacts
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("signal and process sources for what cannot be")
struct SourceKindMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a source watches a signal below the first", says: "signal source", "signal 0", "from 1 to 64"
    ) {
      _ = DispatchSource.makeSignalSource(signal: 0)
    }
    Misuse(
      "a source watches a signal above the last", says: "signal source", "signal 65", "from 1 to 64"
    ) {
      _ = DispatchSource.makeSignalSource(signal: 65)
    }
    Misuse("a source watches process 0", says: "process source", "process 0", "positive") {
      _ = DispatchSource.makeProcessSource(identifier: 0, eventMask: .exit)
    }
    Misuse(
      "a source watches the identifier of a process group", says: "process source", "process -17",
      "positive"
    ) {
      _ = DispatchSource.makeProcessSource(identifier: -17, eventMask: .exit)
    }
    Misuse(
      "a source watches an event that does not exist", says: "process 1", "0x80000001",
      "DispatchSource.ProcessEvent"
    ) {
      _ = DispatchSource.makeProcessSource(identifier: 1, eventMask: .init(rawValue: 0x8000_0001))
    }
  }

  // MARK: Refusals

  private func run(_ scenario: any CountedScenario, _ arguments: String...) throws
    -> ChildProgram.Outcome
  {
    let outcome = try ChildProgram.run(
      scenario, arguments)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    return outcome
  }

  @Test func signalsThatCannotBeCaughtAreRefused() throws {
    let outcome = try run(SignalSourceScenario.signalsThatCannotBeCaught)
    for signal in [SIGKILL, SIGSTOP, 32, 33] {
      #expect(outcome.facts["cancelled\(signal)"] == "true")
    }
    let said = outcome.standardError.split(separator: "\n")
    #expect(said.count == 4, "\(outcome.standardError)")
    for name in ["SIGKILL", "SIGSTOP", "signal 32", "signal 33"] {
      #expect(said.contains { $0.contains("for \(name) ") && $0.contains("cannot be caught") })
    }
    #expect(said.filter { $0.contains("C library") }.count == 2)
  }

  @Test func aSignalHandlerIsReinstalledAFewTimes() throws {
    let outcome = try run(SignalSourceScenario.signalsCaughtTooOften)
    for round in 0..<5 { #expect(outcome.facts["cancelled\(round)"] == "\(round == 4)") }
    #expect(outcome.standardError.contains("SIGUSR1"))
    #expect(outcome.standardError.contains("too often"))
  }

  @Test(arguments: [
    (
      ProcessSourceScenario.processSourceWithoutDescriptors, "",
      "pidfd_open failed with errno \(EMFILE)", "ulimit"
    ),
    (
      ProcessSourceScenario.processSourceWithACallRefused, "\(ENOSYS)",
      "pidfd_open failed with errno \(ENOSYS)",
      "seccomp"
    ),
    (
      ProcessSourceScenario.processSourceWithACallRefused, "\(EPERM)",
      "pidfd_open failed with errno \(EPERM)",
      "seccomp"
    ),
    (ProcessSourceScenario.processSourceForAThread, "", "pidfd_open failed with errno", "thread"),
    (
      ProcessSourceScenario.processSourceForSignals, "", "signal",
      "Linux does not report the signals"
    ),
    (ProcessSourceScenario.processSourceForNothing, "", "process source for process", "no event"),
  ])
  func aRefusalIsReportedWithItsReason(
    _ refusal: (scenario: ProcessSourceScenario, argument: String, said: String, reason: String)
  ) throws {
    let arguments = refusal.argument.isEmpty ? [] : [refusal.argument]
    let outcome = try ChildProgram.run(
      refusal.scenario, arguments)
    #expect(outcome.exit == .code(0), "\(outcome.standardError)")
    #expect(outcome.facts["cancelled"] == "true")
    #expect(outcome.standardError.contains(refusal.said), "\(outcome.standardError)")
    #expect(outcome.standardError.contains(refusal.reason), "\(outcome.standardError)")
  }
}
