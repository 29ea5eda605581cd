// ReadWriteLockTests — ReadWriteLock: readers run concurrently, writers run alone, and neither
// starves.

import SignalboxDiagnostics
@testable import SignalboxLocks
import SignalboxRuntime
import SignalboxTestSupport
import Synchronization
import Testing

@Suite struct ReadWriteLockTests {
  @Test func readersRunConcurrently() throws {
    let lock = ReadWriteLock()
    let meeting = Rendezvous(parties: 4)
    try runThreads(4) { _ in
      try lock.withReadLock { _ = try meeting.meet() }
    }
  }

  @Test func aWriterIsAlone() throws {
    let lock = ReadWriteLock()
    // SAFETY: used under the lock, which is what the test checks.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { thread in
      for round in 0..<5_000 {
        if (round + thread) % 4 == 0 {
          lock.withWriteLock { count += 1 }
        } else {
          lock.withReadLock { if count < 0 { Issue.record("a reader saw \(count)") } }
        }
      }
    }
    #expect(count == 5_000)
  }

  @Test func resultsOfReadsAndWritesAreReturned() {
    let lock = ReadWriteLock()
    #expect(lock.withReadLock { 3 } == 3)
    #expect(lock.withWriteLock { "three" } == "three")
    #expect(throws: Refusal.self) { try lock.withReadLock { throw Refusal() } }
    #expect(throws: Refusal.self) { try lock.withWriteLock { throw Refusal() } }
    // Both calls have released the lock.
    #expect(lock.tryLockForWriting())
    lock.unlock()
  }

  private struct Refusal: Error {}

  // MARK: Tries

  @Test func aTrySucceedsIfTheLockIsFree() throws {
    let lock = ReadWriteLock()
    // Through an idle gate, a gate that a reader opened, and a gate that a writer left.
    for _ in 0..<2 {
      #expect(lock.tryLockForReading())
      #expect(try onPlainThread { take(lock.tryLockForReading(), lock) })
      #expect(try onPlainThread { !take(lock.tryLockForWriting(), lock) })
      lock.unlock()
      #expect(lock.tryLockForWriting())
      #expect(try onPlainThread { !take(lock.tryLockForReading(), lock) })
      #expect(try onPlainThread { !take(lock.tryLockForWriting(), lock) })
      lock.unlock()
    }
  }

  /// A failed try leaves nothing behind.
  @Test func aTryToWriteThatFailsLetsReadersIn() throws {
    let lock = ReadWriteLock()
    lock.lockForReading()
    for _ in 0..<3 { #expect(try onPlainThread { !take(lock.tryLockForWriting(), lock) }) }
    #expect(try onPlainThread { take(lock.tryLockForReading(), lock) })
    #expect(!lock.tryLockForWriting())
    lock.unlock()
    #expect(lock.tryLockForWriting())
    #expect(!lock.tryLockForWriting())
    #expect(!lock.tryLockForReading())
    lock.unlock()
  }

  // MARK: Limits

  @Test func aLimitEndsAWait() throws {
    let lock = ReadWriteLock()
    lock.lockForReading()
    for limit in [Date.distantPast, Date() + 0.02] {
      #expect(try onPlainThread { !take(lock.lockForWriting(before: limit), lock) })
      // The writer that gave up has let readers in again.
      #expect(try onPlainThread { take(lock.lockForReading(before: limit), lock) })
    }
    lock.unlock()
    lock.lockForWriting()
    for limit in [Date.distantPast, Date() + 0.02] {
      #expect(try onPlainThread { !take(lock.lockForWriting(before: limit), lock) })
      #expect(try onPlainThread { !take(lock.lockForReading(before: limit), lock) })
    }
    lock.unlock()
    #expect(lock.lockForWriting(before: .distantPast))
    lock.unlock()
    #expect(lock.lockForReading(before: .distantPast))
    lock.unlock()
  }

  @Test func anInfiniteLimitIsAPlainWait() throws {
    let lock = ReadWriteLock()
    lock.name = "a limit that never comes"
    lock.lockForReading()
    let writer = try PlainThread {
      #expect(lock.lockForWriting(before: .distantFuture))
      lock.unlock()
    }
    try untilOneWaits(.writeLock, for: lock)
    lock.unlock()
    try writer.join()
    lock.lockForWriting()
    let reader = try PlainThread {
      #expect(lock.lockForReading(before: .distantFuture))
      lock.unlock()
    }
    try untilOneWaits(.readLock, for: lock)
    lock.unlock()
    try reader.join()
  }

  /// With a limit, a wait for the thread itself ends like any other.
  @Test func anUpgradeWithALimitFails() {
    let lock = ReadWriteLock()
    lock.lockForReading()
    #expect(!lock.lockForWriting(before: Date() + 0.01))
    lock.unlock()
    lock.lockForWriting()
    #expect(!lock.lockForReading(before: Date() + 0.01))
    #expect(!lock.lockForWriting(before: Date() + 0.01))
    lock.unlock()
    #expect(lock.tryLockForWriting())
    lock.unlock()
  }

  // MARK: Order

  /// The thread for which a writer waits may have ended when the writer looks who it is.
  @Test func aHolderThatHasEndedIsNoDeadlock() {
    LockMisuse.check(0, 0, .never, ReadWriteLock().resource)
  }

  /// A wait with a limit sleeps until another thread wakes it, and does not look meanwhile.
  @Test func writersThatSleepForTheirTurnAreWokenOneAfterTheOther() throws {
    let lock = ReadWriteLock()
    lock.name = "three writers"
    let limit = Date() + Double((RealTime.wedge * 3).wholeNanoseconds) / 1e9
    lock.lockForWriting()
    let left = Atomic<Int>(0)
    let writers = try (0..<3).map { _ in
      try PlainThread {
        #expect(lock.lockForWriting(before: limit))
        lock.unlock()
        left.add(1, ordering: .relaxed)
      }
    }
    try untilOneWaits(.writeLock, for: lock, threads: 3)
    lock.unlock()
    let end = Uptime.now() + RealTime.wedge
    while left.load(ordering: .relaxed) < 3 && Uptime.now() < end {
      letRealTimePass(.milliseconds(1))
    }
    #expect(left.load(ordering: .relaxed) == 3, "writers sleep although the lock is free")
    for writer in writers { try writer.join() }
  }

  @Test func newReadersStayOutWhileAWriterWaits() throws {
    let lock = ReadWriteLock()
    lock.name = "new readers stay out"
    lock.lockForReading()
    let writer = try PlainThread { lock.withWriteLock {} }
    try untilOneWaits(.writeLock, for: lock)
    #expect(try onPlainThread { !take(lock.tryLockForReading(), lock) })
    lock.unlock()
    try writer.join()
  }

  @Test func aReaderMayReadAgainWhileAWriterWaits() throws {
    let lock = ReadWriteLock()
    lock.name = "reads again"
    lock.lockForReading()
    let hasWritten = Guarded(false)
    let writer = try PlainThread { lock.withWriteLock { hasWritten.withValue { $0 = true } } }
    try untilOneWaits(.writeLock, for: lock)
    lock.lockForReading()
    #expect(lock.tryLockForReading())
    #expect(lock.lockForReading(before: .distantPast))
    for _ in 0..<3 {
      lock.unlock()
      #expect(!hasWritten.current)
    }
    lock.unlock()
    try writer.join()
    #expect(hasWritten.current)
  }

  /// A reader sleeps, is woken, and finds that another writer was first: it is admitted before
  /// a third.
  @Test func aReaderThatWasOvertakenIsInBeforeTheNextWriter() throws {
    let lock = ReadWriteLock()
    lock.name = "overtaken"
    var log: EventLog<String>
    var reader: PlainThread
    lock.lockForWriting()
    while true {
      let reads = EventLog<String>()
      log = reads
      reader = try PlainThread { lock.withReadLock { reads.append("read") } }
      try untilOneWaits(.readLock, for: lock)
      lock.unlock()
      lock.lockForWriting()
      let end = Uptime.now() + RealTime.wedge
      while log.all.isEmpty && !lock.gate.hasOvertakenReader() {
        guard Uptime.now() < end else { throw Wedge.found("the reader neither reads nor waits") }
        letRealTimePass(.milliseconds(1))
      }
      if log.all.isEmpty { break }
      // It ran between the two writes. Another one must not.
      try reader.join()
    }
    let writer = try PlainThread { [log] in lock.withWriteLock { log.append("write") } }
    try untilOneWaits(.writeLock, for: lock)
    lock.unlock()
    for thread in [reader, writer] { try thread.join() }
    #expect(log.all == ["read", "write"])
  }

  /// Readers overlap, so that one is always inside.
  @Test func readersThatNeverStopDoNotKeepAWriterOut() throws {
    let lock = ReadWriteLock()
    let isOver = Guarded(false)
    let readers = try (0..<3).map { _ in
      try PlainThread {
        while !isOver.current { lock.withReadLock { letRealTimePass(.microseconds(50)) } }
      }
    }
    for _ in 0..<20 { lock.withWriteLock {} }
    isOver.withValue { $0 = true }
    for reader in readers { try reader.join() }
  }

  @Test func writersThatNeverStopDoNotKeepAReaderOut() throws {
    let lock = ReadWriteLock()
    let isOver = Guarded(false)
    let writers = try (0..<3).map { _ in
      try PlainThread {
        while !isOver.current { lock.withWriteLock { letRealTimePass(.microseconds(50)) } }
      }
    }
    for _ in 0..<20 { lock.withReadLock {} }
    isOver.withValue { $0 = true }
    for writer in writers { try writer.join() }
  }

  // MARK: Records

  /// Uses more than one block of slots, and releases in another order.
  @Test func aThreadReadsUnderManyLocksAtATime() throws {
    let locks = (0..<40).map { _ in ReadWriteLock() }
    for _ in 0..<2 {
      for lock in locks { lock.lockForReading() }
      for lock in locks { lock.lockForReading() }
      for lock in locks { #expect(try onPlainThread { !take(lock.tryLockForWriting(), lock) }) }
      for lock in locks { lock.unlock() }
      for lock in locks { #expect(try onPlainThread { !take(lock.tryLockForWriting(), lock) }) }
      for lock in locks.reversed() { lock.unlock() }
      for lock in locks { #expect(try onPlainThread { take(lock.tryLockForWriting(), lock) }) }
    }
  }

  @Test func locksAreLeftInAnyOrder() throws {
    let locks = (0..<3).map { _ in ReadWriteLock() }
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    for order in orders {
      for lock in locks { lock.lockForReading() }
      for (count, index) in order.enumerated() {
        locks[index].unlock()
        for (index, lock) in locks.enumerated() {
          let isFree = order[...count].contains(index)
          #expect(try onPlainThread { take(lock.tryLockForWriting(), lock) } == isFree)
        }
      }
    }
  }

  /// The read locks of an ended thread do not affect the next one.
  @Test func shortLivedThreadsLeaveNothing() throws {
    let lock = ReadWriteLock()
    for _ in 0..<50 {
      try runThreads(4) { _ in lock.withReadLock {} }
      #expect(lock.tryLockForWriting())
      lock.unlock()
    }
  }

  @Test func itsNameIsInItsDescription() {
    let lock = ReadWriteLock()
    #expect(lock.description.hasPrefix("the ReadWriteLock at 0x"))
    lock.name = "prices"
    #expect(lock.name == "prices")
    #expect(lock.description == "the ReadWriteLock \"prices\"")
    #expect(Set([lock, lock, ReadWriteLock()]).count == 2)
  }
}

/// Releases the lock again if it was taken.
@discardableResult
private func take(_ isTaken: Bool, _ lock: ReadWriteLock) -> Bool {
  if isTaken { lock.unlock() }
  return isTaken
}

/// Waits until this many threads wait for the lock.
func untilOneWaits(
  _ reason: WaitReason, for lock: some CustomStringConvertible, threads: Int = 1
) throws {
  let name = lock.description
  let end = Uptime.now() + RealTime.wedge
  while WaitRegistry.shared.waits.filter({ $0.reason == reason && $0.resource == name }).count
    < threads
  {
    guard Uptime.now() < end else { throw Wedge.found("nobody waits for \(name)") }
    letRealTimePass(.milliseconds(1))
  }
}

extension ReaderGate {
  borrowing func hasOvertakenReader() -> Bool {
    // order: relaxed; the caller looks again.
    word.load(ordering: .relaxed) & ReaderGate.overtakenBit != 0
  }
}
