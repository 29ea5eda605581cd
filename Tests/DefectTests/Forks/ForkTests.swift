// ForkTests — D17: the child of a fork may use the library, or learns why it may not.

import CountedFacts
import Glibc
import SignalboxTestSupport
import Testing

@Suite("Fork", .guarded)
struct ForkTests {
  /// ThreadSanitizer ends a forked child that starts threads, unless this option is set.
  private static let environment = ["TSAN_OPTIONS": "die_after_fork=0"]
  /// How a scenario reports a child that ended by abort(3).
  private static let aborted = "\(256 + SIGABRT)"

  private func run(_ scenario: any CountedScenario, _ arguments: String...) throws
    -> ChildProgram.Outcome
  {
    let outcome = try ChildProgram.run(
      scenario, arguments, environment: Self.environment)
    try #require(outcome.exit == .code(0), "\(scenario): \(outcome.standardError)")
    return outcome
  }

  /// The toolchain's queues never run anything in the child. Ours start anew: items on new
  /// queues, on global queues and on idle queues, timers, groups, semaphores,
  /// `concurrentPerform`.
  @Test(arguments: [
    ForkScenario.forkAnIdleProcess, .forkWithQueuesFromTheParent, .forkFromAForeignThread,
    .forkFromAnItem, .forkFromABackgroundItem, .forkTimersOfTheParent,
    .forkAndCancelATimerOfTheParent, .forkOfAFork,
    .forkMainQueueOfTheChild, .forkKeepsThreadNumbers,
  ])
  func theChildMayUseEverything(_ scenario: ForkScenario) throws {
    let facts = try run(scenario).facts
    #expect(facts["child"] == "0")
    // The child does not wake the parent's main thread.
    if let readable = facts["readable"] { #expect(readable == "0") }
  }

  /// Each use of such a queue in the child ends with a message that names the queue.
  @Test(arguments: [
    ForkScenario.forkWhileAQueueRuns, .forkWhileAConcurrentQueueRuns,
    .forkWhileAThreadIsInSync,
  ])
  func aQueueThatWasRunningTraps(_ scenario: ForkScenario) throws {
    let outcome = try run(scenario)
    for use in ["async", "sync", "barrier"] {
      #expect(outcome.facts[use] == Self.aborted, "\(use)")
    }
    let messages = outcome.standardError.split(separator: "\n").filter {
      $0.hasPrefix("BUG IN CLIENT OF SIGNALBOX: ")
        && $0.contains("\"org.signalbox.facts.busy\" was running in the parent")
    }
    #expect(messages.count == 3, "\(outcome.standardError)")
    #expect(outcome.facts["parent"] == "goes on")
  }

  @Test func aQueueWithPendingWorkTraps() throws {
    let outcome = try run(ForkScenario.forkWhileWorkIsPending)
    for use in ["async", "sync", "resume"] { #expect(outcome.facts[use] == Self.aborted, "\(use)") }
    let messages = outcome.standardError.split(separator: "\n").filter {
      $0.contains("\"org.signalbox.facts.busy\" had work pending in the parent")
    }
    #expect(messages.count == 3, "\(outcome.standardError)")
  }

  /// The items behind the forking item run in the parent, and nowhere else.
  @Test(arguments: [
    (ForkScenario.forkFromAnItemThatReturns, 5),
    (ForkScenario.forkFromAConcurrentItemThatReturns, 5),
    (ForkScenario.forkFromAnItemOfMainThatReturns, 3),
  ])
  func anItemMayReturnInTheChild(_ scenario: ForkScenario, _ behind: Int) throws {
    let facts = try run(scenario).facts
    #expect(facts["child"] == "0")
    #expect(facts["behind"] == "\(behind)")
  }

  @Test func theQueueThatIsHeldContinuesInTheChild() throws {
    let facts = try run(ForkScenario.forkWithinSync).facts
    #expect(facts["serial"] == "0")
    #expect(facts["concurrent"] == "0")
  }

  /// A workloop had put items in order that come after the call.
  @Test func aWorkloopThatIsHeldLeavesItsItemsToTheParent() throws {
    let facts = try run(ForkScenario.forkWithinSyncOfAWorkloop).facts
    #expect(facts["child"] == "0")
    #expect(facts["behind"] == "3")
  }

  /// No frame of the thread that forks names these queues: the target that a `sync` took, and the
  /// queue whose item waits in the `sync` that runs the forking item.
  @Test(arguments: [
    ForkedCallScenario.forkWithinSyncThatHoldsATarget, .forkWithinSyncThatSharesATarget,
    .forkWithinTwoSyncsThatShareATarget, .forkFromAnItemThatAWaitingThreadRuns,
  ])
  func everyQueueThatIsHeldLeavesItsItemsToTheParent(_ scenario: ForkedCallScenario) throws {
    let facts = try run(scenario).facts
    #expect(facts["child"] == "0")
    #expect(facts["behind"] == "3")
  }

  /// The thread that waits for the call is not in the child. A new thread may use its stack there, so
  /// the result is not written to it.
  @Test(arguments: [
    ForkedCallScenario.forkWithinACallOnTheMainQueue, .forkWithinACallOnAWorker,
  ])
  func aCallOnAnotherThreadMayForkAndReturn(_ scenario: ForkedCallScenario) throws {
    let facts = try run(scenario).facts
    #expect(facts["child"] == "0")
  }

  @Test func workOnGlobalQueuesAndMainStaysWithTheParent() throws {
    let facts = try run(ForkScenario.forkLeavesGlobalAndMainWorkBehind).facts
    #expect(facts["child"] == "0")
    #expect(facts["ran"] == "201")
  }

  /// No operation is dropped silently, including barriers, and the parent's read continues.
  @Test func theChildLearnsThatAChannelBelongsToTheParent() throws {
    let facts = try run(ForkedChannelScenario.forkAndUseAChannelOfTheParent).facts
    #expect(facts["child"] == "0")
    #expect(facts["errors"] == "0")
    #expect(facts["shown"] == "1")
    #expect(facts["cleanups"] == "1")
  }

  /// A library of the program takes its locks before a fork and releases them afterwards, in
  /// the child too: to every lock the thread is the same.
  @Test func handlersThatHoldLocksAcrossTheForkWork() throws {
    let facts = try run(ForkScenario.forkWithHandlersThatHoldLocks).facts
    #expect(facts["child"] == "0")
    #expect(facts["parent"] == "goes on")
  }

  // MARK: Locks

  private static let kindsOfLocks = [
    "NSLock", "NSRecursiveLock", "NSConditionLock", "UnfairLock", "OSAllocatedUnfairLock",
    "os_unfair_lock",
  ]

  /// A library of the program holds a lock across the fork while other threads of the parent
  /// wait for it. Parent and child continue to use the lock.
  @Test(arguments: kindsOfLocks)
  func handlersThatHoldOurLocksAcrossTheForkWork(_ kind: String) throws {
    let facts = try run(ForkedLockScenario.forkWithHandlersThatHoldOurLocks, kind).facts
    #expect(facts["parent"] == "goes on")
    #expect(facts["lost"] == "0")
  }

  /// No thread in the child can release it. A try finds it held.
  @Test(arguments: kindsOfLocks)
  func aLockThatAnotherThreadHeldTraps(_ kind: String) throws {
    let outcome = try run(ForkedLockScenario.forkWhileAnotherThreadHoldsALock, kind)
    let isNamed = kind.hasPrefix("NS")
    let uses = isNamed ? ["take", "takeBefore"] : ["take"]
    for use in uses { #expect(outcome.facts[use] == Self.aborted, "\(use)") }
    #expect(outcome.facts["try"] == "0")
    let name = isNamed ? "\(kind) \"org.signalbox.facts.lost\"" : "\(kind) at 0x"
    let messages = outcome.standardError.split(separator: "\n").filter {
      $0.hasPrefix("BUG IN CLIENT OF SIGNALBOX: the \(name)")
        && $0.contains(" is held by a thread that stayed in the parent")
        && $0.contains("pthread_atfork")
    }
    #expect(messages.count == uses.count, "\(outcome.standardError)")
    #expect(outcome.facts["parent"] == "goes on")
  }

  /// Threads that wait in the parent do not exist in the child, nor does a thread that was in
  /// the middle of a signal.
  @Test(arguments: [
    ForkedConditionScenario.forkWhileThreadsWaitForConditions,
    .forkWhileAConditionIsSignalledAllTheTime,
  ])
  func conditionsOfTheParentWorkInTheChild(_ scenario: ForkedConditionScenario) throws {
    let facts = try run(scenario).facts
    #expect(facts["child"] ?? facts["failed"] == "0")
  }

  /// If a waiting thread is creating a lazy value of the Swift runtime, the fork waits until it
  /// exists: a child would wait for it forever.
  @Test(arguments: 0..<3)
  func objectsThatWaitsNeedAreCreatedBeforeTheFork(_ before: Int) throws {
    let facts = try run(ForkedConditionScenario.forkWhileWhatWaitsNeedIsMade, "\(before)").facts
    #expect(facts["child"] == "0")
    #expect(facts["parent"] == "goes on")
    #if DEBUG
      // In optimized builds, these values are not created lazily.
      #expect(facts["met"] == "1")
    #endif
  }

  /// D39: the Swift runtime keeps the number of the thread that forks, which the child's has not.
  @Test func aChildsFirstThreadCreatesWhatAnotherAwaits() throws {
    let facts = try run(ForkedValueScenario.forkAndCreateAnAwaitedValue).facts
    for process in ["child", "grandchild"] { #expect(facts[process] == "0") }
    #expect(facts["parent"] == "goes on")
  }

  /// The child does not apply the parent's knowledge of its threads to its own threads.
  @Test func theChildKnowsItsOwnThreadsOnly() throws {
    let facts = try run(ForkedLockScenario.forkAndNamesOfThreads).facts
    #expect(facts["kernelIDBefore"] == "true")
    #expect(facts["child"] == "0")
  }
}
