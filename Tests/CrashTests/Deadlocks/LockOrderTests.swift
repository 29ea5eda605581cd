// Locks taken in two orders, where nothing hung.

import CountedFacts
import Glibc
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("locks taken in two orders are told of while they are checked")
struct LockOrderTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "two threads take two locks in two orders", says: "lock order: thread",
      "took the NSLock \"order.a\" while it held the NSLock \"order.b\"; thread",
      "took the NSLock \"order.b\" while it held the NSLock \"order.a\". Threads", "takesAFirst",
      "takesBFirst", "took the NSLock \"order.a\" at", "and then took the NSLock \"order.b\" at",
      "Take the locks in the same order everywhere"
    ) {
      LockOrderCheck.begin(.trap)
      let (a, b) = (named("order.a"), named("order.b"))
      try onPlainThread { takesAFirst(a, b) }
      takesBFirst(a, b)
    }
    Misuse(
      "a thread takes two unfair locks in two orders", says: "lock order",
      "took the OSAllocatedUnfairLock at 0x"
    ) {
      LockOrderCheck.begin(.trap)
      let (a, b) = (OSAllocatedUnfairLock(), OSAllocatedUnfairLock())
      a.withLock { b.withLock {} }
      b.withLock { a.withLock {} }
    }
    // The orders are those of the classes, and a name makes a class.
    Misuse(
      "other locks of the same names are taken in two orders", says: "lock order", "order.a",
      "order.b"
    ) {
      LockOrderCheck.begin(.trap)
      takesAFirst(named("order.a"), named("order.b"))
      takesBFirst(named("order.a"), named("order.b"))
    }
    Misuse("two locks of one name are taken in two orders", says: "lock order", "order.account") {
      LockOrderCheck.begin(.trap)
      let (a, b) = (named("order.account"), named("order.account"))
      takesAFirst(a, b)
      takesBFirst(a, b)
    }
    Misuse(
      "three locks are taken in a circle",
      says: "took the NSLock \"order.0\" while it held the NSLock \"order.2\"",
      "took the NSLock \"order.1\" while it held the NSLock \"order.0\"",
      "took the NSLock \"order.2\" while it held the NSLock \"order.1\""
    ) {
      LockOrderCheck.begin(.trap)
      let locks = (0..<3).map { named("order.\($0)") }
      for place in 0..<3 { takesAFirst(locks[place], locks[(place + 1) % 3]) }
    }
    Misuse(
      "a lock taken by a try is held in the other order", says: "lock order", "order.a", "order.b"
    ) {
      LockOrderCheck.begin(.trap)
      let (a, b) = (named("order.a"), named("order.b"))
      takesAFirst(a, b)
      guard b.try() else { exit(EXIT_SUCCESS) }
      a.withLock {}
    }
    // Another thread unlocks it, so taking it again is no recursion.
    Misuse(
      "a lock that another thread unlocked is taken again in the other order", says: "lock order",
      "order.a", "order.b"
    ) {
      LockOrderCheck.begin(.trap)
      let (a, b) = (named("order.a"), named("order.b"))
      takesBFirst(a, b)
      a.lock()
      try onPlainThread { a.unlock() }
      a.lock()
      b.lock()
    }
  }

  // MARK: Two orders

  /// Once for each pair, and the program continues.
  @Test func aHandlerIsCalledOnceForEachPair() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let told = Guarded<[String]>([])
      LockOrderCheck.begin(.call { text in told.withValue { $0.append(text) } })
      let (a, b, c) = (named("order.a"), named("order.b"), named("order.c"))
      for _ in 0..<3 {
        takesAFirst(a, b)
        takesBFirst(a, b)
      }
      takesAFirst(b, c)
      takesBFirst(b, c)
      guard told.wait(limit: RealTime.wedge, until: { $0.count >= 2 }) else { exit(2) }
      letRealTimePass(RealTime.settling)
      let texts = told.current
      exit(texts.count == 2 && texts.allSatisfy { $0.hasPrefix("lock order: ") } ? 0 : 3)
    }
  }

  @Test func aHandlerOfFindingsLearnsEachOrder() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let told = Guarded<[LockOrderCheck.Finding]>([])
      LockOrderCheck.begin(.callWithFinding { found in told.withValue { $0.append(found) } })
      let locks = (0..<3).map { named("order.\($0)") }
      for place in 0..<3 { takesAFirst(locks[place], locks[(place + 1) % 3]) }
      guard told.wait(limit: RealTime.wedge, until: { $0.count >= 1 }) else { exit(2) }
      let found = told.current[0]
      #expect(found.text.hasPrefix("lock order: thread"))
      // The new order comes first, and each acquired lock is held in the next.
      #expect(found.orders.map(\.held) == [2, 0, 1].map { "the NSLock \"order.\($0)\"" })
      #expect(found.orders.map(\.acquired) == [0, 1, 2].map { "the NSLock \"order.\($0)\"" })
      for order in found.orders {
        #expect(order.thread.hasPrefix("thread "))
        #expect(order.heldAt.contains { $0.contains("takesAFirst") })
        #expect(order.acquiredAt.contains { $0.contains("takesAFirst") })
      }
      exit(EXIT_SUCCESS)
    }
  }

  // MARK: By the environment

  @Test(arguments: [("lock-order", 0), ("lock-order-trap", SIGABRT), ("", 0), ("other", 0)])
  func theEnvironmentSwitchesItOn(check: String, signal: Int32) throws {
    let outcome = try ChildProgram.run(
      LockOrderScenario.lockOrder,
      environment: ["SIGNALBOX_CHECK": check, "SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit == (signal == 0 ? .code(0) : .signal(signal)))
    let reports = outcome.standardError.split(separator: "lock order: ").count - 1
    if check.hasPrefix("lock-order") {
      #expect(reports == 1 || outcome.standardError.hasPrefix("lock order: "))
      #expect(outcome.standardError.contains("the NSLock \"first\""))
      #expect(outcome.standardError.contains("CountedFacts.takeBoth"))
    } else {
      #expect(outcome.standardError.isEmpty)
    }
  }

  // MARK: No two orders

  @Test func harmlessOrdersAreNotReported() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      LockOrderCheck.begin(.trap)
      #expect(LockOrderCheck.isOn)
      let (a, b, c) = (named("order.a"), named("order.b"), NSLock())
      try plainly {
        // One order, by many threads, left in any.
        try runThreads(4) { _ in
          for _ in 0..<50 {
            a.lock()
            b.lock()
            c.lock()
            a.unlock()
            c.unlock()
            b.unlock()
          }
        }
        // A try, and a wait with a limit, in the other order.
        b.lock()
        guard a.try() else { exit(2) }
        a.unlock()
        guard a.lock(before: Date() + 1000) else { exit(3) }
        a.unlock()
        b.unlock()
        // A lock that is gone, and another one at its address.
        for _ in 0..<100 {
          let (new, other) = (NSLock(), NSLock())
          takesAFirst(new, other)
        }
        for _ in 0..<100 {
          let (other, new) = (NSLock(), NSLock())
          takesAFirst(new, other)
        }
        // What another thread left is held no more.
        a.lock()
        try onPlainThread { a.unlock() }
        b.lock()
        guard a.lock(before: Date() + 1000) else { exit(4) }
        a.unlock()
        b.unlock()
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test func aCheckBeginsAtAnyMoment() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let (a, b) = (named("order.a"), named("order.b"))
      plainly {
        // Held when it begins, and left under it.
        a.lock()
        LockOrderCheck.begin(.trap)
        b.lock()
        a.unlock()
        b.unlock()
        b.lock()
        a.lock()
        // Held when it ends, left without it; and what was learned is forgotten.
        LockOrderCheck.end()
        #expect(!LockOrderCheck.isOn)
        a.unlock()
        b.unlock()
        LockOrderCheck.begin(.trap)
        takesAFirst(a, b)
      }
      exit(EXIT_SUCCESS)
    }
  }

  /// A child knows what its parent had learned, and its thread what it holds.
  @Test func aForkedChildContinuesChecking() throws {
    let outcome = try ChildProgram.run(
      LockOrderScenario.lockOrderInAChild, environment: ["SIGNALBOX_CHECK": "lock-order"])
    #expect(outcome.exit == .code(0))
    #expect(outcome.facts["child"] == "0")
    #expect(
      outcome.standardError.contains(
        "took the NSLock \"first\" while it held the NSLock \"second\""))
  }

  /// A lock whose memory may become another lock without a report.
  @Test func aBareUnfairLockHasNoOrder() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      LockOrderCheck.begin(.trap)
      let words = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 2)
      words.initialize(repeating: os_unfair_lock(), count: 2)
      for (one, other) in [(0, 1), (1, 0)] {
        plainly {
          os_unfair_lock_lock(words + one)
          os_unfair_lock_lock(words + other)
          os_unfair_lock_unlock(words + other)
          os_unfair_lock_unlock(words + one)
        }
      }
      exit(EXIT_SUCCESS)
    }
  }

  /// Its own description takes locks, which is no order of the program's.
  @Test func aLockWhoseNameTakesALock() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      LockOrderCheck.begin(.trap)
      let lock = SelfConscious()
      let other = NSLock()
      for _ in 0..<3 {
        lock.withLock { other.withLock {} }
      }
      exit(EXIT_SUCCESS)
    }
  }
}

// MARK: Means

private func named(_ name: String) -> NSLock {
  let lock = NSLock()
  lock.name = name
  return lock
}

@inline(never)
private func takesAFirst(_ a: NSLock, _ b: NSLock) { a.withLock { b.withLock {} } }

@inline(never)
private func takesBFirst(_ a: NSLock, _ b: NSLock) { b.withLock { a.withLock {} } }

/// SAFETY: as its superclass.
private final class SelfConscious: NSLock, @unchecked Sendable {
  private let own = NSLock()

  override var description: String { own.withLock { "the self-conscious lock" } }
}
