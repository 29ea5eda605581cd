// Recursive locks, conditions and condition locks: what must not be done with them.

import Glibc
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("misuse of recursive locks, conditions and condition locks")
struct ConditionMisuseTests {
  // MARK: Recursive locks

  @Test func aRecursiveLockReleasedWhileHeld() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        do {
          let lock = NSRecursiveLock()
          lock.name = "tree"
          lock.lock()
        }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSRecursiveLock \"tree\"", "was released while",
      "unlock it before")
  }

  @Test func aRecursiveLockTakenTooOften() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let lock = NSRecursiveLock()
        lock.name = "tree"
        lock.lock()
        lock.state.depth.store(UInt32.max, ordering: .relaxed)
        lock.lock()
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSRecursiveLock \"tree\"", "more often than",
      "as often as it is locked")
  }

  /// Said, and not done.
  @Test func aRecursiveLockUnlockedByAnotherThreadOrByNobody() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let lock = NSRecursiveLock()
        lock.name = "tree"
        lock.unlock()
        lock.lock()
        try runThreads(1) { _ in lock.unlock() }
        let isStillHeld = try onPlainThread { !lock.try() }
        lock.unlock()
        exit(isStillHeld ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("while nobody held it"), "\(text)")
    #expect(text.contains("and stays held by"), "\(text)")
  }

  @Test func twoRecursiveLocksInACycle() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let locks = [NSRecursiveLock(), NSRecursiveLock()]
        let meeting = Rendezvous(parties: 2)
        try runThreads(2) { thread in
          locks[thread].name = "lock \(thread)"
          locks[thread].lock()
          locks[thread].lock()
          try meeting.meet()
          locks[1 - thread].lock()
        }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock: thread", "\"lock 0\"", "\"lock 1\"")
  }

  // MARK: Conditions

  @Test func aWaitWithoutTheLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let condition = NSCondition()
        condition.name = "stock"
        condition.wait()
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "waits for the NSCondition \"stock\"",
      "without holding it", "lock it")
  }

  @Test func aTimedWaitWhileAnotherThreadHoldsTheLock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let condition = NSCondition()
        condition.lock()
        try runThreads(1) { _ in _ = condition.wait(until: .distantPast) }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSCondition at 0x", "without holding it, which",
      "lock it")
  }

  @Test func aConditionReleasedWhileHeld() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        do {
          let condition = NSCondition()
          condition.lock()
        }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSCondition at 0x", "was released while", "held it"
    )
  }

  @Test func aConditionReleasedWhileAThreadWaits() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        // Releases too many: a thread that waits holds references.
        // SAFETY: released below, more than once on purpose.
        let condition = Unmanaged.passRetained(NSCondition())
        let address = UInt(bitPattern: condition.toOpaque())
        let waiter = try PlainThread {
          // SAFETY: the trap comes before the object goes.
          let condition = Unmanaged<NSCondition>.fromOpaque(
            UnsafeRawPointer(bitPattern: address)!)
          condition._withUnsafeGuaranteedRef {
            $0.lock()
            $0.wait()
          }
        }
        try WaitWatch.waitUntilAsleep(for: .condition, on: "NSCondition")
        for _ in 0..<9 { condition.release() }
        try waiter.join()
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSCondition at 0x", "while a thread waits for it",
      "keep a reference")
  }

  @Test func aConditionLockedTwice() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try reported {
        let condition = NSCondition()
        condition.name = "stock"
        condition.lock()
        condition.lock()
      }
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "the NSCondition \"stock\"", "itself")
  }

  /// A thread that was signalled and now waits for the lock is on a cycle like any other.
  @Test func aCycleThroughTheLockOfACondition() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try reported {
        let condition = NSCondition()
        condition.name = "stock"
        let lock = NSLock()
        lock.name = "list"
        let waiter = try PlainThread {
          lock.lock()
          condition.lock()
          condition.wait()
        }
        try WaitWatch.waitUntilAsleep(for: .condition, on: "\"stock\"")
        condition.lock()
        // Another thread signals, so that the waiter comes while the lock is held.
        try runThreads(1) { _ in condition.signal() }
        lock.lock()
        try waiter.join()
      }
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock: thread", "the NSCondition \"stock\"",
      "the NSLock \"list\"")
  }

  /// Said, and done.
  @Test func aConditionUnlockedByAnotherThread() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let condition = NSCondition()
        condition.lock()
        try runThreads(1) { _ in condition.unlock() }
        condition.lock()
        condition.unlock()
        exit(EXIT_SUCCESS)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the NSCondition at 0x"), "\(text)")
    #expect(text.contains("unlock it on the thread that locked it"), "\(text)")
  }

  // MARK: Condition locks

  @Test func aConditionLockReleasedWhileHeld() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        do {
          let lock = NSConditionLock(condition: 1)
          lock.lock(whenCondition: 1)
        }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSConditionLock at 0x", "was released while",
      "held it")
  }

  @Test func aConditionLockReleasedWhileAThreadWaits() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        // SAFETY: released below, more than once on purpose.
        let lock = Unmanaged.passRetained(NSConditionLock(condition: 0))
        let address = UInt(bitPattern: lock.toOpaque())
        let waiter = try PlainThread {
          // SAFETY: the trap comes before the object goes.
          let lock = Unmanaged<NSConditionLock>.fromOpaque(UnsafeRawPointer(bitPattern: address)!)
          lock._withUnsafeGuaranteedRef { $0.lock(whenCondition: 1) }
        }
        try WaitWatch.waitUntilAsleep(for: .value, on: "NSConditionLock")
        for _ in 0..<9 { lock.release() }
        try waiter.join()
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "the NSConditionLock at 0x",
      "while a thread waits for it", "keep a reference")
  }

  @Test func aConditionLockLockedTwice() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try reported {
        let lock = NSConditionLock(condition: 1)
        lock.name = "mail"
        lock.lock()
        lock.lock(whenCondition: 2)
      }
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "the NSConditionLock \"mail\"", "itself")
  }

  /// A thread that waits for a value needs whoever holds the lock meanwhile.
  @Test func aCycleThroughAWaitForAValue() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try reported {
        let mail = NSConditionLock(condition: 0)
        mail.name = "mail"
        let list = NSLock()
        list.name = "list"
        let waiter = try PlainThread {
          list.lock()
          mail.lock(whenCondition: 1)
        }
        try WaitWatch.waitUntilAsleep(for: .value, on: "\"mail\"")
        mail.lock(whenCondition: 0)
        list.lock()
        try waiter.join()
      }
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock: thread", "for a value of",
      "the NSConditionLock \"mail\"", "the NSLock \"list\"")
  }

  // MARK: Once and lazy values

  @Test func aOnceThatCallsItself() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let once = Once()
        once.perform { once.perform {} }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock", "Once.perform(_:)", "within its own body")
  }

  @Test func aLazyValueThatAsksForItself() async {
    final class Knot: @unchecked Sendable {
      // SAFETY: set before any other thread is there.
      var lazy: Lazy<Int>?
    }
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let knot = Knot()
        knot.lazy = Lazy { (knot.lazy?.value ?? 0) + 1 }
        _ = knot.lazy?.value
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock", "Lazy.value", "within its own body")
  }

  @Test func twoOncesThatWaitForEachOther() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try misuse {
        let onces = [Once(), Once()]
        let meeting = Rendezvous(parties: 2)
        try runThreads(2) { thread in
          try onces[thread].perform {
            try meeting.meet()
            onces[1 - thread].perform {}
          }
        }
      }
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock: thread", "for the body of a Once", "held by")
  }
}

/// Runs what ends the process, where locks may be taken: the body of an exit test is
/// asynchronous.
private func misuse(_ body: () throws -> Void) throws -> Never {
  Trap.arm()
  try body()
  Trap.notReached()
}

/// The same for what is reported, and ended then.
private func reported(_ body: () throws -> Void) throws -> Never {
  Reported.arm()
  try body()
  Trap.notReached()
}
