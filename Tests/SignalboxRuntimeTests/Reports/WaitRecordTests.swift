// WaitRecordTests — what a waiting thread reports about itself.

import Glibc
@testable import SignalboxDiagnostics
@testable import SignalboxRuntime
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
        _ = Parking.wait(
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
    Parking.wake(wordAddress(word.word))
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

  /// A deadlock search may follow only a wait that only other threads can end.
  @Test func onlyAnUntimedWaitOnAnUnchangedWordIsABlock() {
    let word = Word()
    let record = WaitRecord.ofThisThread
    let owned = WaitResource(
      object: wordAddress(word.word), describe: { _ in "a word" }, need: { _, _ in .thread(77) })
    // Searches of other tests may hold the lock for a moment.
    let block = { () -> WaitRecord.Block? in
      while true {
        var effort = SearchEffort()
        let block = record.block(&effort)
        if !effort.metHeldLock { return block }
      }
    }
    let publish = { (deadline: Deadline, word: UnsafeRawPointer?) in
      record.publish(
        reason: .test, resource: owned, deadline: deadline, word: word, expected: 0)
    }
    #expect(block() == nil)
    publish(.never, wordAddress(word.word))
    #expect(block()?.epoch == record.current?.epoch)
    if case .thread(let owner)? = block()?.need {
      #expect(owner == 77)
    } else {
      Issue.record("the owner is not known")
    }
    // The wait is over, though the thread does not know yet.
    word.word.store(1, ordering: .relaxed)
    #expect(block() == nil)
    word.word.store(0, ordering: .relaxed)
    record.withdraw()
    #expect(block() == nil)
    publish(Deadline(.uptime, 1), wordAddress(word.word))
    #expect(block() == nil)
    record.withdraw()
    publish(.never, nil)
    #expect(block() == nil)
    record.withdraw()
  }

  /// A resource's functions may hold the last reference to an object.
  @Test func theResourceOfTheLastWaitIsReleasedOutsideTheLock() {
    final class Captured: Sendable {
      let record: WaitRecord
      let metHeldLock: Guarded<[Bool]>
      init(_ record: WaitRecord, _ metHeldLock: Guarded<[Bool]>) {
        self.record = record
        self.metHeldLock = metHeldLock
      }
      deinit {
        // Searches of other tests may hold the lock for a moment.
        var effort = SearchEffort()
        let limit = Uptime.now() + RealTime.wedge
        repeat {
          effort = SearchEffort()
          _ = record.block(&effort)
          if effort.metHeldLock { sched_yield() }
        } while effort.metHeldLock && Uptime.now() < limit
        metHeldLock.withValue { $0.append(effort.metHeldLock) }
      }
    }
    let record = WaitRecord.ofThisThread
    let metHeldLock = Guarded<[Bool]>([])
    let publish = {
      let captured = Captured(record, metHeldLock)
      record.publish(
        reason: .test,
        resource: WaitResource(object: nil, describe: { _ in "\(captured.record.thread)" }),
        deadline: .never)
      record.withdraw()
    }
    publish()
    record.publish(reason: .test, resource: .named("a test"), deadline: .never)
    record.withdraw()
    #expect(metHeldLock.current == [false])
  }

  @Test func aThreadsHoldsAreReadInnermostFirst() {
    let word = Word()
    let record = WaitRecord.ofThisThread
    // Uses this kind because it is only compared: searches of other tests see it too.
    let objects = [3, 5].map { UnsafeRawPointer(bitPattern: $0)! }
    ThreadHold.with(objects[0], .work) {
      ThreadHold.with(objects[1], .work) {
        record.publish(
          reason: .test, resource: .named("a test"), deadline: .never,
          word: wordAddress(word.word))
        let found = record.whileWaiting { stack, _ in
          var found: [UnsafeRawPointer] = []
          #expect(objects.allSatisfy(stack.works(for:)))
          #expect(!stack.works(for: UnsafeRawPointer(bitPattern: 7)!))
          _ = stack.anyHold {
            found.append($0.object)
            return false
          }
          return found
        }
        #expect(found == [objects[1], objects[0]])
        record.withdraw()
      }
    }
    #expect(record.whileWaiting { _, _ in 0 } == nil)
  }

  @Test func timedSleepEndsAtItsDeadlineOnEitherClock() {
    let word = Word()
    for clock in [Clock.uptime, .wall] {
      let deadline = Deadline(clock, clock.now + 2_000_000)
      var outcome = WaitOutcome.woken
      while outcome == .woken {
        outcome = Parking.wait(
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
