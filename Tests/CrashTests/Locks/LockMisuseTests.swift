// What is reported about locks that are taken, left or freed as they must not
// be.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("a lock that is taken twice by one thread")
struct RelockTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("a thread locks an NSLock twice", reports: "deadlock", "the NSLock \"ledger\"", "itself")
    {
      let lock = NSLock()
      lock.name = "ledger"
      lock.lock()
      lock.lock()
    }
    Misuse(
      "a thread locks an NSLock again with a limit that never comes", reports: "deadlock",
      "the NSLock at 0x", "itself"
    ) {
      let lock = NSLock()
      lock.lock()
      _ = lock.lock(before: .distantFuture)
    }
    Misuse("a thread locks an UnfairLock twice", says: "deadlock", "the UnfairLock at 0x", "itself")
    {
      let lock = UnfairLock()
      lock.lock()
      lock.lock()
    }
    Misuse(
      "the body of a lock takes that lock again", says: "deadlock",
      "the OSAllocatedUnfairLock at 0x", "itself"
    ) {
      let lock = OSAllocatedUnfairLock(initialState: 0)
      lock.withLock { _ in lock.withLock { $0 += 1 } }
    }
  }
}

@Suite("a lock that is left by who does not hold it")
struct ForeignUnlockTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a thread unlocks an unfair lock that another thread holds",
      says: "the OSAllocatedUnfairLock at 0x", "was unlocked by", "holds it"
    ) {
      let lock = OSAllocatedUnfairLock()
      lock.lock()
      try onPlainThread { lock.unlock() }
    }
    Misuse(
      "a thread unlocks an unfair lock that nobody holds", says: "the UnfairLock at 0x",
      "nobody held it"
    ) {
      let lock = UnfairLock()
      lock.unlock()
    }
    Misuse("a precondition claims a lock that nobody holds", says: "expected to be held by thread")
    {
      OSAllocatedUnfairLock().precondition(.owner)
    }
    Misuse(
      "an assertion denies a lock that the thread holds", says: "the os_unfair_lock at 0x",
      "expected not to be held by thread"
    ) {
      let lock = os_unfair_lock_t.allocate(capacity: 1)
      lock.initialize(to: os_unfair_lock())
      os_unfair_lock_lock(lock)
      os_unfair_lock_assert_not_owner(lock)
    }
  }

  @Test func nsLockReportsOnceAndIsUnlocked() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = NSLock()
        lock.name = "ledger"
        for _ in 0..<2 {
          lock.lock()
          try onPlainThread { lock.unlock() }
          guard lock.try() else { fatalError("the lock was not left") }
          lock.unlock()
        }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the NSLock \"ledger\" was unlocked by thread"))
    #expect(text.contains("is held by thread"))
    #expect(text.split(separator: "was unlocked by").count == 2)
  }

  @Test func nsLockThatIsFree() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = NSLock()
        lock.unlock()
        guard lock.try() else { fatalError("the lock was taken") }
        lock.unlock()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("while nobody held it"))
  }
}

@Suite("a lock that is freed while it is held")
struct HeldLockFreedTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "an NSLock is released while it is held", says: "the NSLock \"ledger\" was released while"
    ) {
      let lock = NSLock()
      lock.name = "ledger"
      lock.lock()
    }
    Misuse("an UnfairLock is released while it is held", says: "an UnfairLock was released while") {
      let lock = UnfairLock()
      lock.lock()
    }
    Misuse(
      "an OSAllocatedUnfairLock is released while it is held",
      says: "an OSAllocatedUnfairLock was released while"
    ) {
      let lock = OSAllocatedUnfairLock()
      lock.lock()
    }
  }
}
