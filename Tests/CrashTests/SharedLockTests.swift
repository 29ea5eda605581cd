// What is told of read–write locks, spin locks and the locks of objects that are taken,
// left or freed as they must not be.

import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("a read–write lock that is used as it cannot work")
struct ReadWriteLockMisuseTests {
  @Test func writingWhatOneReads() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = ReadWriteLock()
        lock.name = "prices"
        lock.lockForReading()
        lock.lockForWriting()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock", "the ReadWriteLock \"prices\"", "itself",
      "unlock first")
  }

  /// Another writer waits already: it is one thread's fault all the same.
  @Test func writingWhatOneReadsBehindAWriter() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = ReadWriteLock()
        lock.name = "prices"
        lock.lockForReading()
        _ = try PlainThread { lock.lockForWriting() }
        untilOneWaits(.writeLock)
        lock.lockForWriting()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "deadlock", "\"prices\"", "unlock first")
  }

  @Test func readingWhatOneWrites() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = ReadWriteLock()
        lock.lockForWriting()
        lock.lockForReading()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "deadlock", "the ReadWriteLock at", "itself")
  }

  @Test func writingWhatOneWrites() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = ReadWriteLock()
        lock.lockForWriting()
        lock.lockForWriting()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "deadlock", "the ReadWriteLock at", "itself")
  }

  @Test func unlockingWhatNobodyHolds() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = ReadWriteLock()
        lock.name = "prices"
        lock.withReadLock {}
        lock.unlock()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "the ReadWriteLock \"prices\"", "unlocked by thread",
      "does not hold it", "nobody holds it")
  }

  @Test func unlockingWhatAnotherReads() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = ReadWriteLock()
        lock.name = "prices"
        lock.lockForReading()
        try onPlainThread { lock.unlock() }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"prices\"", "does not hold it", "holds it for reading")
  }

  @Test func unlockingWhatAnotherWrites() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
        let lock = ReadWriteLock()
        lock.lockForWriting()
        try onPlainThread { lock.unlock() }
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "does not hold it", "holds it for writing")
  }

  @Test func releaseWhileRead() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = ReadWriteLock()
        lock.name = "prices"
        lock.lockForReading()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"prices\"", "was released while", "for reading")
  }

  @Test func releaseWhileWritten() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = ReadWriteLock()
        lock.name = "prices"
        lock.lockForWriting()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "\"prices\"", "was released while", "for writing")
  }

  /// The thread's end is no trap; the writer that waits for it for ever is on no cycle.
  @Test func theEndOfAThreadThatReadsIsTold() async {
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
struct SharedLockDeadlockTests {
  @Test func aReaderAndAWriterOfEachOther() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      try Trap.arm {
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
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "deadlock", "to write under the ReadWriteLock \"a\"",
      "to write under the ReadWriteLock \"b\"", "shared by thread")
  }

  /// A reader that waits for a writer to leave, which waits for what that reader holds.
  @Test func aReaderThatWaitsForAWriter() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try Reported.arm {
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
      Trap.notReached()
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "to read under the ReadWriteLock \"prices\"",
      "the NSLock \"ledger\"", "held by thread")
  }

  /// The writer is not in yet; what keeps it out is a reader that waits.
  @Test func aReaderBehindAWriterThatWaitsForAReader() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try Reported.arm {
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
      Trap.notReached()
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "to read under the ReadWriteLock \"prices\"",
      "to write under the ReadWriteLock \"prices\"", "the NSLock \"ledger\"", "shared by thread")
  }

  @Test func objectsAndASpinLock() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      try Reported.arm {
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
      Trap.notReached()
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "the lock of the object <Account: 0x",
      "the SpinLock \"hits\"")
  }

  @Test func aSpinLockTakenTwice() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Reported.arm {
        let lock = SpinLock()
        lock.lock()
        lock.lock()
      }
      Trap.notReached()
    }
    Reported.expect(result?.standardErrorContent, says: "deadlock", "the SpinLock at 0x", "itself")
  }

  @Test func anOldSpinLockTakenTwice() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Reported.arm {
        let word = UnsafeMutablePointer<OSSpinLock>.allocate(capacity: 1)
        word.initialize(to: OS_SPINLOCK_INIT)
        OSSpinLockLock(word)
        OSSpinLockLock(word)
      }
      Trap.notReached()
    }
    Reported.expect(
      result?.standardErrorContent, says: "deadlock", "the OSSpinLock at 0x", "itself")
  }

  @Test func aSpinLockReleasedWhileHeld() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm {
        let lock = SpinLock()
        lock.name = "hits"
        lock.lock()
      }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "\"hits\"", "was released while")
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
