// SourceKindTests — D14: the toolchain has no process sources, and its signal sources always
// report a count of 1.

import CSignalbox
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Sources that the toolchain lacks", .guarded)
struct SourceKindTests {
  private func outcome(_ scenario: String, _ arguments: String...) throws -> ChildProgram.Outcome {
    try ChildProgram("CountedFacts").run(
      [scenario] + arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
  }

  private func facts(_ scenario: String, _ arguments: String...) throws -> [String: String] {
    let outcome = try ChildProgram("CountedFacts").run(
      [scenario] + arguments, environment: ["TSAN_OPTIONS": "die_after_fork=0"])
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts
  }

  // MARK: Signals

  @Test func signalsAreCounted() throws {
    try SpareSignal.with { signals in
      let source = DispatchSource.makeSignalSource(signal: signals[0])
      let told = EventLog<UInt>()
      let calls = EventCounter("calls")
      source.setEventHandler { [weak face = source as? DispatchSource] in
        told.append(face?.data ?? 0)
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

  @Test(arguments: ["source-for-an-ignored-interrupt", "source-for-a-termination"])
  func aSignalEndsTheProgramByItsSource(_ scenario: String) throws {
    #expect(try facts(scenario)["told"] == "1")
  }

  @Test func allChildrenAreFoundByTheSourceForTheirSignal() throws {
    #expect(try facts("source-for-ended-children")["buried"] == "5")
  }

  @Test func ignoredChildrenAreBuriedAsBefore() throws {
    let facts = try facts("source-for-ignored-children")
    #expect(facts["wait"] == "-1")
    #expect(facts["errno"] == "ECHILD")
  }

  @Test func aBrokenPipeIsAnErrorAndASignal() throws {
    let facts = try facts("source-for-broken-pipes")
    #expect(facts["error"] == "EPIPE")
    #expect(facts["told"] == "1")
  }

  /// A handler that repairs nothing and returns would meet the fault for ever.
  @Test func aFaultOfTheProgramStillEndsIt() throws {
    let outcome = try outcome("source-for-faults")
    #expect(outcome.exit == .signal(SIGSEGV))
    #expect(outcome.facts["told"] == "1")
    #expect(outcome.facts["after"] == nil)
  }

  @Test func abortStillEndsTheProgram() throws {
    #expect(try outcome("source-for-aborts").exit == .signal(SIGABRT))
  }

  @Test func aForkedChildHasSignalsOfItsOwn() throws {
    let facts = try facts("fork-with-signal-sources")
    #expect(facts["child"] == "0")
    #expect(facts["told"] == "1")
    #expect(facts["toldLater"] == "3")
    #expect(facts["handled"] == "2")
  }

  @Test func signalSourcesLeaveNoDescriptors() throws {
    #expect(try facts("descriptors-of-signal-sources")["more"] == "0")
  }

  // MARK: Processes

  /// O5, without polling: a few wake-ups for each child, across all threads of the library.
  @Test func everyEndOfAThousandChildrenIsToldOnce() throws {
    let count = 1000
    let facts = try facts("ends-of-children", "\(count)")
    #expect(facts["told"] == "\(count)")
    #expect(facts["ended"] == "\(count)")
    #expect(facts["right"] == "\(count)")
    #expect(facts["left"] == "-1")
    let wakeUps = try #require(facts["wakeUps"].flatMap { Int($0) })
    #expect(wakeUps <= 8 * count)
    StandardError.print("ends-of-children: wakeUps=\(wakeUps)")
  }

  @Test func processSourcesLeaveNoDescriptors() throws {
    let facts = try facts("descriptors-of-process-sources")
    #expect(facts["more"] == "0")
    #expect(facts["whileItLives"] == "1")
    #expect(facts["afterItsEnd"] == "0")
    #expect(facts["child"] == "\(256 + SIGKILL)")
  }

  @Test func sourcesThatHearNothingWakeNobody() throws {
    let facts = try facts("wake-ups-of-idle-sources")
    #expect(facts["wakeUps"] == "0")
    #expect(facts["told"] == "4")
    #expect(facts["child"] == "\(256 + SIGKILL)")
  }
}
