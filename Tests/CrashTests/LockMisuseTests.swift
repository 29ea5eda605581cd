// What is told of locks that are taken, left or freed as they must not be.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("a lock that is taken twice by one thread")
struct RelockTests {
  @Test func nsLock() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Reported.arm {
        let lock = NSLock()
        lock.name = "ledger"
        lock.lock()
        lock.lock()
      }
      Trap.notReached()
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "the NSLock \"ledger\"", "itself")
  }

  @Test func nsLockWithALimitThatNeverComes() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Reported.arm {
        let lock = NSLock()
        lock.lock()
        _ = lock.lock(before: .distantFuture)
      }
      Trap.notReached()
    }
    Reported.expect(result?.standardErrorContent, says: "deadlock", "the NSLock at 0x", "itself")
  }

  @Test func unfairLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = UnfairLock()
        lock.lock()
        lock.lock()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "deadlock", "the UnfairLock at 0x", "itself")
  }

  @Test func withinItsOwnBody() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        lock.withLock { _ in lock.withLock { $0 += 1 } }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock", "the OSAllocatedUnfairLock at 0x", "itself")
  }
}

@Suite("a lock that is left by who does not hold it")
struct ForeignUnlockTests {
  @Test func nsLockSaysSoOnceAndIsLeft() async {
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

  @Test func nsLockThatNobodyHolds() async {
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

  @Test func unfairLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = OSAllocatedUnfairLock()
        lock.lock()
        try onPlainThread { lock.unlock() }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the OSAllocatedUnfairLock at 0x", "was unlocked by",
      "holds it")
  }

  @Test func unfairLockThatNobodyHolds() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = UnfairLock()
        lock.unlock()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the UnfairLock at 0x", "nobody held it")
  }

  @Test func aClaimThatIsNotTrue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        OSAllocatedUnfairLock().precondition(.owner)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "is not held by thread")
  }

  @Test func aDenialThatIsNotTrue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        lock.initialize(to: os_unfair_lock())
        os_unfair_lock_lock(lock)
        os_unfair_lock_assert_not_owner(lock)
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the os_unfair_lock at 0x", "says it is not")
  }
}

@Suite("a lock that is freed while it is held")
struct HeldLockFreedTests {
  @Test func nsLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        do {
          let lock = NSLock()
          lock.name = "ledger"
          lock.lock()
        }
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "the NSLock \"ledger\" was released while")
  }

  @Test func unfairLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        do {
          let lock = UnfairLock()
          lock.lock()
        }
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "an UnfairLock was released while")
  }

  @Test func allocatedLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        do {
          let lock = OSAllocatedUnfairLock()
          lock.lock()
        }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "an OSAllocatedUnfairLock was released while")
  }
}
