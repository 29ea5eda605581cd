// Recursive locks, conditions and condition locks: what must not be done with them.

import Glibc
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("misuse of recursive locks, conditions and condition locks")
struct ConditionMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    // MARK: Recursive locks

    Misuse(
      "a recursive lock is released while a thread holds it", says: "the NSRecursiveLock \"tree\"",
      "was released while", "unlock it before"
    ) {
      let lock = NSRecursiveLock()
      lock.name = "tree"
      lock.lock()
    }
    Misuse(
      "a thread locks a recursive lock more often than it counts",
      says: "the NSRecursiveLock \"tree\"", "more often than", "as often as it is locked"
    ) {
      let lock = NSRecursiveLock()
      lock.name = "tree"
      lock.lock()
      lock.state.depth.store(UInt32.max)
      lock.lock()
    }
    Misuse(
      "two threads wait for each other's recursive locks", says: "deadlock: thread", "\"lock 0\"",
      "\"lock 1\""
    ) {
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

    // MARK: Conditions

    Misuse(
      "a thread waits for a condition without its lock",
      says: "waits for the NSCondition \"stock\"", "without holding it", "lock it"
    ) {
      let condition = NSCondition()
      condition.name = "stock"
      condition.wait()
    }
    Misuse(
      "a thread waits for a condition that another thread has locked",
      says: "the NSCondition at 0x", "without holding it, which", "lock it"
    ) {
      let condition = NSCondition()
      condition.lock()
      try runThreads(1) { _ in _ = condition.wait(until: .distantPast) }
    }
    Misuse(
      "a condition is released while a thread holds it", says: "the NSCondition at 0x",
      "was released while", "held it"
    ) {
      let condition = NSCondition()
      condition.lock()
    }
    Misuse(
      "a condition is released while a thread waits for it", says: "the NSCondition at 0x",
      "while a thread waits for it", "keep a reference"
    ) {
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
    Misuse(
      "a thread locks a condition twice", reports: "deadlock", "the NSCondition \"stock\"", "itself"
    ) {
      let condition = NSCondition()
      condition.name = "stock"
      condition.lock()
      condition.lock()
    }
    Misuse(
      "a signalled waiter holds the lock that the owner of its condition wants",
      reports: "deadlock: thread", "the NSCondition \"stock\"", "the NSLock \"list\""
    ) {
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

    // MARK: Condition locks

    Misuse(
      "a condition lock is released while a thread holds it", says: "the NSConditionLock at 0x",
      "was released while", "held it"
    ) {
      let lock = NSConditionLock(condition: 1)
      lock.lock(whenCondition: 1)
    }
    Misuse(
      "a condition lock is released while a thread waits for it", says: "the NSConditionLock at 0x",
      "while a thread waits for it", "keep a reference"
    ) {
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
    Misuse(
      "a thread locks a condition lock twice", reports: "deadlock", "the NSConditionLock \"mail\"",
      "itself"
    ) {
      let lock = NSConditionLock(condition: 1)
      lock.name = "mail"
      lock.lock()
      lock.lock(whenCondition: 2)
    }
    // A waiter for a value needs the thread that holds the lock.
    Misuse(
      "a thread that waits for a value holds the lock that its setter wants",
      reports: "deadlock: thread", "for a value of", "the NSConditionLock \"mail\"",
      "the NSLock \"list\""
    ) {
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

    // MARK: Once and lazy values

    Misuse("a once calls itself", says: "deadlock", "Once.perform(_:)", "within its own body") {
      let once = Once()
      once.perform { once.perform {} }
    }
    Misuse(
      "a lazy value asks for itself", says: "deadlock", "Lazy.value", "within its own body"
    ) {
      let knot = Knot()
      knot.lazy = Lazy { (knot.lazy?.value ?? 0) + 1 }
      _ = knot.lazy?.value
    }
    Misuse(
      "two onces wait for each other", says: "deadlock: thread", "for the body of a Once", "held by"
    ) {
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

  // MARK: Recursive locks

  /// Said, and not done.
  @Test func aRecursiveLockUnlockedByAnotherThreadOrWhileFree() async {
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

  // MARK: Conditions

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
}

/// Runs a misuse where it may take locks: the body of an exit test is asynchronous.
private func misuse(_ body: () throws -> Void) throws -> Never {
  Trap.arm()
  try body()
  Trap.notReached()
}

private final class Knot: @unchecked Sendable {
  // SAFETY: set before any other thread is there.
  var lazy: Lazy<Int>?
}
