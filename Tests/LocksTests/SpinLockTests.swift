// SpinLockTests — SpinLock, and the old names of spin locks.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite struct SpinLockTests {
  @Test func oneThreadAtATimeHoldsIt() throws {
    let lock = SpinLock()
    // SAFETY: used under the lock, which is what the test checks.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { _ in
      for _ in 0..<5_000 { lock.withLock { count += 1 } }
    }
    #expect(count == 20_000)
  }

  @Test func aTryTakesAFreeLockOnly() throws {
    let lock = SpinLock()
    #expect(lock.try())
    #expect(!lock.try())
    #expect(try !onPlainThread { lock.try() })
    lock.unlock()
    #expect(lock.try())
    lock.unlock()
  }

  /// Otherwise it would occupy a processor as long as the lock is held.
  @Test func aLongWaitSleeps() throws {
    let lock = SpinLock()
    lock.name = "held for long"
    lock.lock()
    let thread = try PlainThread { lock.withLock {} }
    try untilOneWaits(.lock, for: lock)
    lock.unlock()
    try thread.join()
  }

  @Test func itsNameIsInItsDescription() {
    let lock = SpinLock()
    #expect(lock.description.hasPrefix("the SpinLock at 0x"))
    lock.name = "hits"
    #expect(lock.name == "hits")
    #expect(lock.description == "the SpinLock \"hits\"")
  }

  /// A word of the program's own.
  private struct Word: @unchecked Sendable {
    // SAFETY: used only as a lock.
    let lock = UnsafeMutablePointer<OSSpinLock>.allocate(capacity: 1)
    init() { lock.initialize(to: OS_SPINLOCK_INIT) }
  }

  @Test func theDeprecatedNamesWorkToo() throws {
    let word = Word()
    // SAFETY: used under the lock, which is what the test checks.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { thread in
      for _ in 0..<5_000 {
        if thread == 0 {
          while !OSSpinLockTry(word.lock) { letRealTimePass(.microseconds(1)) }
        } else {
          OSSpinLockLock(word.lock)
        }
        count += 1
        OSSpinLockUnlock(word.lock)
      }
    }
    #expect(count == 20_000)
    #expect(word.lock.pointee == OS_SPINLOCK_INIT)
    #expect(OSSpinLockTry(word.lock))
    #expect(try !onPlainThread { OSSpinLockTry(word.lock) })
    OSSpinLockUnlock(word.lock)
    word.lock.deallocate()
  }
}
