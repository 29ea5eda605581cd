// SharedLockFactsTests — read–write locks and locks of objects in processes of their own: memory,
// forks, the main thread.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite(.serialized) struct SharedLockFactsTests {
  /// How a scenario reports a child that ended by abort(3).
  private static let aborted = "\(256 + SIGABRT)"

  private func run(_ scenario: any CountedScenario) throws -> ChildProgram.Outcome {
    // ThreadSanitizer ends a forked child that starts threads, unless this option is set.
    // Memory in a thread's allocator cache would count as in use.
    let outcome = try ChildProgram.run(
      scenario,
      environment: [
        "TSAN_OPTIONS": "die_after_fork=0", "SWIFT_BACKTRACE": "enable=no",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
      ])
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome
  }

  /// A thread keeps a few, and returns them when it ends.
  @Test func locksOfUnusedObjectsAreFreed() throws {
    let facts = try run(SharedLockScenario.objectsLockedByThreadsThatEnd).facts
    #expect(facts["after-threads"] == "0")
    #expect(facts["held"] == "1000")
    let kept = try #require(facts["after-main"].flatMap { Int($0) })
    #expect(kept <= 4)
  }

  @Test func aReadWriteLockIsSmall() throws {
    let facts = try run(SharedLockScenario.memoryOfAReadWriteLock).facts
    let bytes = try #require(facts["bytes"].flatMap { Int($0) })
    #expect(bytes <= 64)
  }

  @Test func threadsThatReadAndEndLeaveNoMemoryBehind() throws {
    let facts = try run(SharedLockScenario.memoryOfReaders).facts
    let bytes = try #require(facts["bytes"].flatMap { Int($0) })
    // The system's own records of threads vary slightly; a block for each thread would be more.
    #expect(bytes < 100 * 128)
  }

  // MARK: Forks

  @Test func locksOfTheForkingThreadStayHeldInTheChild() throws {
    let facts = try run(SharedLockScenario.forkWithSharedLocksOfTheThreadThatForks).facts
    #expect(facts["child"] == "0")
    #expect(facts["parent"] == "goes on")
  }

  @Test func waitingForALockOfALostThreadTraps() throws {
    let outcome = try run(SharedLockScenario.forkWithSharedLocksOfAnotherThread)
    let traps = [
      ("write-what-is-read", "lost reader"), ("read-what-is-written", "lost writer"),
      ("write-what-is-written", "lost writer"), ("enter", "the lock of the object <Account: 0x"),
    ]
    for (name, _) in traps { #expect(outcome.facts[name] == Self.aborted, "\(name)") }
    let messages = outcome.standardError.split(separator: "\n").filter {
      $0.contains("is held by a thread that stayed in the parent")
    }
    #expect(messages.count == traps.count, "\(outcome.standardError)")
    for (message, (_, words)) in zip(messages, traps) { #expect(message.contains(words)) }
    #expect(outcome.facts["read-what-is-read"] == "0")
    #expect(outcome.facts["others"] == "0")
  }

  /// A handler takes the locks before the fork and releases them afterwards.
  @Test func forkHandlersKeepBusyLocksIntact() throws {
    #expect(try run(SharedLockScenario.forkWhileLocksAreBusy).facts["well"] == "100")
  }

  // MARK: The system's locks

  /// Runs on the main thread as its queue's work, on workers and on a plain thread.
  @Test func posixLocksWorkAlongsideOurs() throws {
    #expect(try run(SharedLockScenario.posixLocksBesideOurs).facts["count"] == "\(5 * 2000)")
  }
}
