// WaitRecordTests — what a waiting thread says about itself.

import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Wait records", .guarded) struct WaitRecordTests {
  private final class Word: Sendable { let word = Atomic<UInt32>(0) }

  private static func wait(named name: String) -> WaitRecord.Snapshot? {
    WaitRegistry.shared.waits.first { $0.resource == name }
  }

  @Test func waitIsListedWhileItLastsAndNotAfter() throws {
    let word = Word()
    let number = Guarded<UInt32>(0)
    let thread = try PlainThread {
      number.withValue { $0 = WaitRecord.ofThisThread.thread }
      while word.word.load(ordering: .acquiring) == 0 {
        _ = WaitingDoor.wait(
          while: wordAddress(word.word), is: 0, until: .never, for: .test,
          on: .named("the word of waitIsListed"))
      }
    }
    var found: WaitRecord.Snapshot?
    let limit = Uptime.now() + RealTime.wedge
    while found == nil && Uptime.now() < limit {
      found = Self.wait(named: "the word of waitIsListed")
    }
    let wait = try #require(found)
    #expect(wait.thread == number.current)
    #expect(wait.reason == .test)
    #expect(wait.owner == 0)
    #expect(!wait.isTimed)
    #expect(wait.epoch % 2 == 1)
    word.word.store(1, ordering: .releasing)
    WaitingDoor.wake(wordAddress(word.word))
    try thread.join()
    #expect(Self.wait(named: "the word of waitIsListed") == nil)
  }

  @Test func epochsNeverRepeat() {
    let record = WaitRecord.ofThisThread
    var seen: Set<UInt64> = []
    for _ in 0..<100 {
      record.publish(reason: .test, resource: .named("a test"), deadline: .never)
      #expect(seen.insert(record.current!.epoch).inserted)
      record.withdraw()
      #expect(record.current == nil)
    }
  }

  @Test func timedSleepEndsAtItsDeadlineOnEitherClock() {
    let word = Word()
    for clock in [Clock.uptime, .wall] {
      let deadline = Deadline(clock, clock.now + 2_000_000)
      var outcome = WaitOutcome.woken
      while outcome == .woken {
        outcome = WaitingDoor.wait(
          while: wordAddress(word.word), is: 0, until: deadline, for: .test, on: .named("nothing"))
      }
      #expect(outcome == .timedOut)
      #expect(clock.now >= deadline.nanoseconds)
    }
  }

  @Test func threadNumbersAreNeverUsedTwice() throws {
    let numbers = Guarded<[UInt32]>([])
    for _ in 0..<4 {
      try runThreads(8) { _ in
        let number = WaitRecord.ofThisThread.thread
        numbers.withValue { $0.append(number) }
      }
    }
    #expect(Set(numbers.current).count == 32)
  }
}
