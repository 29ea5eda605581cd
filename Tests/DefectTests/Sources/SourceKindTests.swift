// SourceKindTests — D14: the toolchain has no process sources, and its signal sources always
// report a count of 1.

import CountedFacts
import CSignalbox
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Sources that the toolchain lacks", .guarded)
struct SourceKindTests {
  private func outcome(_ scenario: any CountedScenario, _ arguments: String...) throws
    -> ChildProgram.Outcome
  {
    try ChildProgram.run(
      scenario, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
  }

  private func facts(_ scenario: any CountedScenario, _ arguments: String...) throws -> [String:
    String]
  {
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  // MARK: Signals

  @Test func signalsAreCounted() throws {
    try SpareSignal.with { signals in
      let source = DispatchSource.makeSignalSource(signal: signals[0])
      let told = EventLog<UInt>()
      let calls = EventCounter("calls")
      source.setEventHandler { [weak sourceObject = source as? DispatchSource] in
        told.append(sourceObject?.data ?? 0)
        calls.increment()
      }
      source.activate()
      source.suspend()
      for _ in 0..<100 { raise(signals[0]) }
      source.resume()
      try calls.wait(for: 1)
      #expect(told.all == [100])
      source.cancel()
    }
  }

  @Test(arguments: [SignalSourceScenario.sourceForAnIgnoredInterrupt, .sourceForATermination])
  func aSignalEndsTheProgramByItsSource(_ scenario: SignalSourceScenario) throws {
    #expect(try facts(scenario)["told"] == "1")
  }

  @Test func aSourceForSIGCHLDFindsAllChildren() throws {
    #expect(try facts(SignalSourceScenario.sourceForEndedChildren)["buried"] == "5")
  }

  @Test func ignoredChildrenAreReapedAsBefore() throws {
    let facts = try facts(SignalSourceScenario.sourceForIgnoredChildren)
    #expect(facts["wait"] == "-1")
    #expect(facts["errno"] == "ECHILD")
  }

  @Test func aBrokenPipeIsAnErrorAndASignal() throws {
    let facts = try facts(SignalSourceScenario.sourceForBrokenPipes)
    #expect(facts["error"] == "EPIPE")
    #expect(facts["told"] == "1")
  }

  /// A handler that repairs nothing and returns would meet the fault forever.
  @Test func aFaultOfTheProgramStillEndsIt() throws {
    let outcome = try outcome(SignalSourceScenario.sourceForFaults)
    #expect(outcome.exit == .signal(SIGSEGV))
    #expect(outcome.facts["told"] == "1")
    #expect(outcome.facts["after"] == nil)
  }

  @Test func abortStillEndsTheProgram() throws {
    #expect(try outcome(SignalSourceScenario.sourceForAborts).exit == .signal(SIGABRT))
  }

  @Test func aForkedChildHasItsOwnSignals() throws {
    let facts = try facts(SignalSourceScenario.forkWithSignalSources)
    #expect(facts["child"] == "0")
    #expect(facts["told"] == "1")
    #expect(facts["toldLater"] == "3")
    #expect(facts["handled"] == "2")
  }

  @Test func signalSourcesLeaveNoDescriptors() throws {
    #expect(try facts(SignalSourceScenario.descriptorsOfSignalSources)["more"] == "0")
  }

  // MARK: Processes

  /// O5, without polling: a few wake-ups for each child, across all threads of the library.
  @Test func everyEndOfAThousandChildrenIsReportedOnce() throws {
    let count = 1000
    let facts = try facts(ProcessSourceScenario.endsOfChildren, "\(count)")
    #expect(facts["told"] == "\(count)")
    #expect(facts["ended"] == "\(count)")
    #expect(facts["right"] == "\(count)")
    #expect(facts["left"] == "-1")
    let wakeUps = try #require(facts["wakeUps"].flatMap { Int($0) })
    #expect(wakeUps <= 8 * count)
    StandardError.print("ends-of-children: wakeUps=\(wakeUps)")
  }

  @Test func processSourcesLeaveNoDescriptors() throws {
    let facts = try facts(ProcessSourceScenario.descriptorsOfProcessSources)
    #expect(facts["more"] == "0")
    #expect(facts["whileItLives"] == "1")
    #expect(facts["afterItsEnd"] == "0")
    #expect(facts["child"] == "\(256 + SIGKILL)")
  }

  @Test func sourcesWithoutEventsWakeNoThread() throws {
    let facts = try facts(SignalSourceScenario.wakeUpsOfIdleSources)
    #expect(facts["wakeUps"] == "0")
    #expect(facts["told"] == "4")
    #expect(facts["child"] == "\(256 + SIGKILL)")
  }
}
