// DescriptorTests — D18, D19 and D20: descriptors that several sources watch, that are reused, or
// that hang up. `SourceStressTests` has longer, random tests.

import CountedFacts
import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Descriptors of sources", .guarded)
struct DescriptorTests {
  private func facts(_ scenario: any CountedScenario, _ arguments: String...) throws -> [String:
    Int]
  {
    let outcome = try ChildProgram.run(scenario, arguments)
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome.facts.compactMapValues { Int($0) }
  }

  /// D18. The toolchain uses its bookkeeping after freeing it.
  @Test func readHandlersAreSetAndTornDownByManyThreads() throws {
    let threads = 4
    let rounds = 100
    let ended = EventCounter("cancel handlers")
    let wrong = EventCounter("bytes of another's")
    let tracker = LeakTracker()
    try runThreads(threads) { thread in
      for round in 0..<rounds {
        let ends = try Ends()
        let tag = UInt8(truncatingIfNeeded: thread * rounds + round)
        let read = EventCounter("bytes")
        let source = DispatchSource.makeReadSource(
          fileDescriptor: ends.input, queue: DispatchQueue(label: "test.torn.down"))
        for _ in 0..<3 {
          let object = tracker.makeObject()
          source.setEventHandler {
            object.touch()
            for byte in ends.take() {
              if byte != tag { wrong.increment() }
              read.increment()
            }
          }
          source.activate()
          ends.put([tag])
        }
        source.setCancelHandler {
          ends.closeInput()
          ended.increment()
        }
        if round % 2 == 0 { try read.wait(for: 3) }
        source.cancel()
      }
    }
    try ended.wait(for: threads * rounds)
    try tracker.waitUntilAllAreFreed()
    #expect(wrong.value == 0)
  }

  /// D18. The toolchain reports the end through a source that was freed in between, and
  /// crashes.
  @Test func sourceIsCancelledWhileItsEndIsReported() throws {
    let threads = 4
    let rounds = 250
    let ended = EventCounter("cancel handlers")
    let tracker = LeakTracker()
    try runThreads(threads) { _ in
      for _ in 0..<rounds {
        let ends = try Ends()
        let told = EventCounter("ends")
        let object = tracker.makeObject()
        let source = DispatchSource.makeReadSource(
          fileDescriptor: ends.input, queue: DispatchQueue(label: "test.hung.up"))
        source.setEventHandler {
          object.touch()
          told.increment()
        }
        source.setCancelHandler {
          ends.closeInput()
          ended.increment()
        }
        source.activate()
        ends.closeOutput()
        try told.wait(for: 1)
        source.cancel()
      }
    }
    try ended.wait(for: threads * rounds)
    try tracker.waitUntilAllAreFreed()
  }

  /// D19. With the toolchain, the source that stays receives nothing after a while.
  @Test func persistentSourceIsCalledWhileOthersAreAddedAndRemoved() throws {
    let ends = try Ends(.sockets)
    let read = EventCounter("bytes")
    let staying = DispatchSource.makeReadSource(
      fileDescriptor: ends.input, queue: DispatchQueue(label: "test.staying"))
    staying.setEventHandler { for _ in ends.take(atMost: 1) { read.increment() } }
    staying.activate()
    let gone = EventCounter("cancel handlers")
    let rounds = 200
    for round in 1...rounds {
      let source = DispatchSource.makeReadSource(
        fileDescriptor: ends.input, queue: DispatchQueue(label: "test.passing"))
      source.setEventHandler {}
      source.setCancelHandler { gone.increment() }
      source.activate()
      ends.put()
      if round % 2 == 0 { try read.wait(for: 2 * round - 1) }
      source.cancel()
      try gone.wait(for: round)
      ends.put()
      try read.wait(for: 2 * round)
    }
    staying.setCancelHandler { gone.increment() }
    staying.cancel()
    try gone.wait(for: rounds + 1)
    #expect(read.value == 2 * rounds)
  }

  /// D20. Each watching source reports it once; then there is silence until the program
  /// cancels.
  @Test(arguments: ["pipe", "socket", "half-closed socket", "terminal"], [1, 2])
  func hangUpIsReportedOnceAndDoesNotSpin(_ kind: String, _ sources: Int) throws {
    let kinds = ["pipe", "socket", "half-closed socket", "terminal"]
    let number = try #require(kinds.firstIndex(of: kind))
    let facts = try facts(SourceScenario.wakeUpsAfterAHangUp, "\(number)", "\(sources)")
    #expect(facts["fewest"] == 1)
    #expect(facts["most"] == 1)
    #expect(facts["wakeUps"] == 0)
  }

  /// An event that no source reports causes no wake-up.
  @Test(arguments: [
    SourceScenario.wakeUpsOfASuspendedSource, .wakeUpsOfASourceWithoutHandler,
    .wakeUpsOfASourceWhoseHandlerRuns, .wakeUpsOfASourceWithNothingToTell,
  ])
  func sourceWithoutEventsMakesNoWakeUp(_ scenario: SourceScenario) throws {
    let facts = try facts(scenario)
    #expect(facts["wakeUps"] == 0)
    #expect(facts["events"] == 0)
    if scenario == SourceScenario.wakeUpsOfASuspendedSource { #expect(facts["eventsLater"] == 1) }
    if let told = facts["eventsOfTheNewHandler"] { #expect(told == 1) }
  }
}
