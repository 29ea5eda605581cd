// UnfairLockTests — the unfair family: the same lock in a struct, in an object and behind a
// pointer.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite struct UnfairLockTests {
  @Test func oneThreadAtATimeHoldsIt() throws {
    let lock = SharedLock()
    // SAFETY: used under the lock, which is what the test checks.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { _ in
      for _ in 0..<10_000 { lock.withLock { count += 1 } }
    }
    #expect(count == 40_000)
  }

  @Test func aTryTakesAFreeLockOnly() throws {
    let lock = SharedLock()
    #expect(lock.tryLock())
    #expect(!lock.tryLock())
    #expect(try !onPlainThread { lock.tryLock() })
    lock.unlock()
    #expect(lock.tryLock())
    lock.unlock()
  }

  @Test func itIsFourBytes() {
    #expect(MemoryLayout<UnfairLock>.size == 4)
    #expect(MemoryLayout<os_unfair_lock>.size == 4)
  }

  @Test func whatTheBodyThrowsLeavesTheLockFree() {
    let lock = SharedLock()
    #expect(throws: Refusal.self) { try lock.withLock { throw Refusal() } }
    #expect(lock.tryLock())
    lock.unlock()
  }
}

@Suite struct OSAllocatedUnfairLockTests {
  @Test func copiesShareOneLock() throws {
    let lock = OSAllocatedUnfairLock(initialState: 0)
    let copy = lock
    try runThreads(4) { _ in
      for _ in 0..<10_000 { copy.withLock { $0 += 1 } }
    }
    #expect(lock.withLock { $0 } == 40_000)
  }

  @Test func theResultOfTheBodyIsReturned() {
    let lock = OSAllocatedUnfairLock(initialState: ["one"])
    let count = lock.withLock { names in
      names.append("two")
      return names.count
    }
    #expect(count == 2)
    #expect(lock.withLockIfAvailable { $0 } == ["one", "two"])
  }

  @Test func aHeldLockIsNotAvailable() throws {
    let lock = OSAllocatedUnfairLock()
    lock.lock()
    #expect(!lock.lockIfAvailable())
    #expect(try onPlainThread { lock.withLockIfAvailable { true } == nil })
    lock.precondition(.owner)
    lock.unlock()
    lock.precondition(.notOwner)
    #expect(lock.withLockIfAvailable { true } == true)
  }

  @Test func theGuardedValueIsFreedWithTheLock() throws {
    let tracker = LeakTracker()
    do {
      let lock = OSAllocatedUnfairLock(uncheckedState: tracker.makeObject())
      lock.withLockUnchecked { $0.touch() }
    }
    try tracker.waitUntilAllAreFreed()
  }
}

@Suite struct UnfairLockFunctionTests {
  @Test func theFunctionsTakeAndLeaveOneWord() throws {
    // SAFETY: freed at the end, when no thread uses it.
    nonisolated(unsafe) let lock = os_unfair_lock_t.allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
    defer { lock.deallocate() }
    os_unfair_lock_lock(lock)
    os_unfair_lock_assert_owner(lock)
    #expect(!os_unfair_lock_trylock(lock))
    #expect(try !onPlainThread { os_unfair_lock_trylock(lock) })
    os_unfair_lock_unlock(lock)
    os_unfair_lock_assert_not_owner(lock)
    // SAFETY: used under the lock.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { _ in
      for _ in 0..<10_000 {
        os_unfair_lock_lock(lock)
        count += 1
        os_unfair_lock_unlock(lock)
      }
    }
    #expect(count == 40_000)
  }
}

private struct Refusal: Error {}

/// An unfair lock that several threads, and expectations, can reach.
private final class SharedLock: Sendable {
  private let lock = UnfairLock()
  func tryLock() -> Bool { lock.tryLock() }
  func unlock() { lock.unlock() }
  func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    try lock.withLock(body)
  }
}
