// What is reported about read–write locks, spin locks and the locks of objects that are
// taken, left or freed as they must not be.

import SignalboxDiagnostics
import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("a read–write lock that is used as it cannot work")
struct ReadWriteLockMisuseTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a reader locks for writing", says: "deadlock", "the ReadWriteLock \"prices\"", "itself",
      "unlock first"
    ) {
      let lock = ReadWriteLock()
      lock.name = "prices"
      lock.lockForReading()
      lock.lockForWriting()
    }
    // One thread alone is at fault, although another writer waits.
    Misuse(
      "a reader locks for writing behind another writer", says: "deadlock", "\"prices\"",
      "unlock first"
    ) {
      let lock = ReadWriteLock()
      lock.name = "prices"
      lock.lockForReading()
      _ = try PlainThread { lock.lockForWriting() }
      untilOneWaits(.writeLock)
      lock.lockForWriting()
    }
    Misuse("a writer locks for reading", says: "deadlock", "the ReadWriteLock at", "itself") {
      let lock = ReadWriteLock()
      lock.lockForWriting()
      lock.lockForReading()
    }
    Misuse("a writer locks for writing again", says: "deadlock", "the ReadWriteLock at", "itself") {
      let lock = ReadWriteLock()
      lock.lockForWriting()
      lock.lockForWriting()
    }
    Misuse(
      "a thread unlocks a lock that nobody holds", says: "the ReadWriteLock \"prices\"",
      "unlocked by thread", "does not hold it", "nobody holds it"
    ) {
      let lock = ReadWriteLock()
      lock.name = "prices"
      lock.withReadLock {}
      lock.unlock()
    }
    Misuse(
      "a thread unlocks a lock that another thread reads", says: "\"prices\"", "does not hold it",
      "holds it for reading"
    ) {
      let lock = ReadWriteLock()
      lock.name = "prices"
      lock.lockForReading()
      try onPlainThread { lock.unlock() }
    }
    Misuse(
      "a thread unlocks a lock that another thread writes", says: "does not hold it",
      "holds it for writing"
    ) {
      let lock = ReadWriteLock()
      lock.lockForWriting()
      try onPlainThread { lock.unlock() }
    }
    Misuse(
      "a lock is released while a thread reads", says: "\"prices\"", "was released while",
      "for reading"
    ) {
      let lock = ReadWriteLock()
      lock.name = "prices"
      lock.lockForReading()
    }
    Misuse(
      "a lock is released while a thread writes", says: "\"prices\"", "was released while",
      "for writing"
    ) {
      let lock = ReadWriteLock()
      lock.name = "prices"
      lock.lockForWriting()
    }
  }

  /// The thread's end is no trap; the writer that waits for it forever is on no cycle.
  @Test func theEndOfAReadingThreadIsReported() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = ReadWriteLock()
        try onPlainThread { lock.lockForReading() }
        if lock.tryLockForWriting() { Trap.notReached() }
        // The lock goes while it is held.
      }
      Trap.notReached()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("ends while it holds a lock for reading"), "\(text)")
    #expect(text.contains("was released while"), "\(text)")
  }
}

@Suite("a deadlock through read–write locks, spin locks and objects")
struct SharedLockDeadlockTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "two readers want to write under each other's lock", says: "deadlock",
      "to write under the ReadWriteLock \"a\"", "to write under the ReadWriteLock \"b\"",
      "shared by thread"
    ) {
      let (a, b) = (ReadWriteLock(), ReadWriteLock())
      (a.name, b.name) = ("a", "b")
      let meeting = Meeting(2)
      _ = try PlainThread {
        a.lockForReading()
        meeting.meet()
        b.lockForWriting()
      }
      b.lockForReading()
      meeting.meet()
      a.lockForWriting()
    }
    Misuse(
      "a reader waits for a writer that wants the reader's lock", reports: "deadlock",
      "to read under the ReadWriteLock \"prices\"", "the NSLock \"ledger\"", "held by thread"
    ) {
      let prices = ReadWriteLock()
      let ledger = NSLock()
      (prices.name, ledger.name) = ("prices", "ledger")
      let meeting = Meeting(2)
      _ = try PlainThread {
        ledger.lock()
        meeting.meet()
        prices.lockForReading()
      }
      prices.lockForWriting()
      meeting.meet()
      ledger.lock()
    }
    // A waiting reader keeps the writer out.
    Misuse(
      "a reader waits behind a writer that waits for another reader", reports: "deadlock",
      "to read under the ReadWriteLock \"prices\"", "to write under the ReadWriteLock \"prices\"",
      "the NSLock \"ledger\"", "shared by thread"
    ) {
      let prices = ReadWriteLock()
      let ledger = NSLock()
      (prices.name, ledger.name) = ("prices", "ledger")
      let held = Meeting(2)
      _ = try PlainThread {
        ledger.lock()
        held.meet()
        untilOneWaits(.writeLock)
        prices.lockForReading()
      }
      held.meet()
      prices.lockForReading()
      _ = try PlainThread { prices.lockForWriting() }
      ledger.lock()
    }
    Misuse(
      "the lock of an object and a spin lock form a cycle", reports: "deadlock",
      "the lock of the object <Account: 0x", "the SpinLock \"hits\""
    ) {
      final class Account: Sendable {}
      let (account, lock) = (Account(), SpinLock())
      lock.name = "hits"
      let meeting = Meeting(2)
      _ = try PlainThread {
        synchronized(account) {
          meeting.meet()
          lock.lock()
        }
      }
      lock.lock()
      meeting.meet()
      synchronized(account) {}
    }
    Misuse("a thread locks a spin lock twice", reports: "deadlock", "the SpinLock at 0x", "itself")
    {
      let lock = SpinLock()
      lock.lock()
      lock.lock()
    }
    Misuse(
      "a thread locks an OSSpinLock twice", reports: "deadlock", "the OSSpinLock at 0x", "itself"
    ) {
      let word = UnsafeMutablePointer<OSSpinLock>.allocate(capacity: 1)
      word.initialize(to: OS_SPINLOCK_INIT)
      OSSpinLockLock(word)
      OSSpinLockLock(word)
    }
    Misuse("a spin lock is released while it is held", says: "\"hits\"", "was released while") {
      let lock = SpinLock()
      lock.name = "hits"
      lock.lock()
    }
  }

  /// Said, and done, as with `NSLock`.
  @Test func aSpinLockLeftByAnother() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = SpinLock()
        lock.name = "hits"
        lock.lock()
        try onPlainThread { lock.unlock() }
        #expect(lock.try())
        lock.unlock()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("the SpinLock \"hits\" was unlocked by"), "\(text)")
  }
}

/// Waits until a thread waits for this reason.
private func untilOneWaits(_ reason: WaitReason) {
  while !WaitRegistry.shared.waits.contains(where: { $0.reason == reason }) {
    letRealTimePass(.milliseconds(1))
  }
}
