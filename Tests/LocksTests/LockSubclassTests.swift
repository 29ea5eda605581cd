// LockSubclassTests — a subclass's overrides are code of the program: they do not run while a lock
// of the engine is held.

import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Synchronization
import Testing

@Suite(.guarded)
struct LockSubclassTests {
  /// How often an override was called.
  private static let asked = Atomic<Int>(0)

  private static func ask<T>(_ answer: T) -> T {
    asked.wrappingAdd(1, ordering: .relaxed)
    return answer
  }

  // SAFETY: adds no mutable state.
  private final class OwnLock: NSLock, @unchecked Sendable {
    override var name: String? {
      get { LockSubclassTests.ask("own") }
      set { super.name = newValue }
    }
    override var description: String { LockSubclassTests.ask("own") }
  }

  // SAFETY: adds no mutable state.
  private final class OwnRecursiveLock: NSRecursiveLock, @unchecked Sendable {
    override var name: String? {
      get { LockSubclassTests.ask("own") }
      set { super.name = newValue }
    }
    override var description: String { LockSubclassTests.ask("own") }
  }

  // SAFETY: adds no mutable state.
  private final class OwnCondition: NSCondition, @unchecked Sendable {
    override var name: String? {
      get { LockSubclassTests.ask("own") }
      set { super.name = newValue }
    }
    override var description: String { LockSubclassTests.ask("own") }
  }

  // SAFETY: adds no mutable state.
  private final class OwnConditionLock: NSConditionLock, @unchecked Sendable {
    override var name: String? {
      get { LockSubclassTests.ask("own") }
      set { super.name = newValue }
    }
    override var description: String { LockSubclassTests.ask("own") }
    override var condition: Int { -1 }
  }

  /// A report reads what a thread waits for while it holds that thread's record lock. A
  /// description that takes its own lock would never return.
  @Test func aReportNamesALockByItsTypeAndItsOwnName() throws {
    let (one, two, three, four) = (
      OwnLock(), OwnRecursiveLock(), OwnCondition(), OwnConditionLock()
    )
    one.name = "subclass.one"
    two.name = "subclass.two"
    three.name = "subclass.three"
    four.name = "subclass.four"
    let locks: [any NSLocking & Sendable] = [one, two, three, four]
    let before = Self.asked.load(ordering: .relaxed)
    locks.forEach { $0.lock() }
    let threads = try locks.map { lock in try PlainThread { lock.withLock {} } }
    for words in [
      "the OwnLock \"subclass.one\"", "the OwnRecursiveLock \"subclass.two\"",
      "the OwnCondition \"subclass.three\"", "the OwnConditionLock \"subclass.four\"",
    ] {
      try WaitWatch.waitUntilAsleep(for: .lock, on: words)
      #expect(BlockedReport.text().contains(words))
    }
    locks.forEach { $0.unlock() }
    for thread in threads { try thread.join() }
    #expect(Self.asked.load(ordering: .relaxed) == before)
  }

  @Test func anOverriddenConditionDoesNotAffectTheLock() throws {
    let lock = OwnConditionLock(condition: 1)
    lock.name = "subclass.value"
    #expect(lock.condition == -1)
    #expect(!lock.tryLock(whenCondition: -1))
    let thread = try PlainThread {
      lock.lock(whenCondition: 2)
      lock.unlock(withCondition: 3)
    }
    try WaitWatch.waitUntilAsleep(for: .value, on: "\"subclass.value\"")
    lock.lock(whenCondition: 1)
    lock.unlock(withCondition: 2)
    try thread.join()
    #expect(lock.tryLock(whenCondition: 3))
    lock.unlock()
  }
}
