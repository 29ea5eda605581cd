// SynchronizedTests — `synchronized`, `objc_sync_enter` and `objc_sync_exit`: any object as a
// lock.

import SignalboxTestSupport
import Testing

@testable import SignalboxLocks

@Suite struct SynchronizedTests {
  private final class Account: Sendable {}

  private func words(_ object: AnyObject) -> String { ObjectLock.words(_address(of: object)) }

  @Test func oneThreadAtATimeHoldsAnObject() throws {
    let object = Account()
    // SAFETY: used under the lock, which is what the test checks.
    nonisolated(unsafe) var count = 0
    try runThreads(4) { _ in
      for round in 0..<5_000 {
        if round % 2 == 0 {
          synchronized(object) { count += 1 }
        } else {
          objc_sync_enter(object)
          count += 1
          objc_sync_exit(object)
        }
      }
    }
    #expect(count == 20_000)
  }

  @Test func aLockIsFreeAfterAsManyExitsAsEntries() throws {
    let object = Account()
    let isIn = Guarded(false)
    for _ in 0..<3 { #expect(objc_sync_enter(object) == OBJC_SYNC_SUCCESS) }
    let thread = try PlainThread { synchronized(object) { isIn.withValue { $0 = true } } }
    try untilOneWaits(.lock, for: words(object))
    for _ in 0..<2 {
      #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
      #expect(!isIn.current)
    }
    #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
    try thread.join()
    #expect(isIn.current)
  }

  @Test func leavingALockThatIsNotHeldIsReported() throws {
    let object = Account()
    // Never entered; held by another thread; entered and exited; exited by a thread that keeps
    // it.
    #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    objc_sync_enter(object)
    #expect(try onPlainThread { objc_sync_exit(object) } == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    #expect(try onPlainThread { objc_sync_exit(object) } == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
  }

  @Test func nilHasNoEffect() {
    #expect(objc_sync_enter(nil) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_exit(nil) == OBJC_SYNC_SUCCESS)
    #expect(objc_sync_exit(nil) == OBJC_SYNC_SUCCESS)
    #expect(synchronized(nil) { 7 } == 7)
  }

  /// There are more objects than rows, so some share a row.
  @Test func objectsDoNotBlockEachOther() throws {
    let objects = (0..<500).map { _ in Account() }
    for object in objects where ObjectIdentifier(object) != ObjectIdentifier(objects[250]) {
      objc_sync_enter(object)
    }
    try runThreads(2) { _ in for _ in 0..<100 { synchronized(objects[250]) {} } }
    for object in objects where ObjectIdentifier(object) != ObjectIdentifier(objects[250]) {
      #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
    }
  }

  /// In another order than they were entered, and each several times: objects that a thread
  /// caches, and objects that it had no room for.
  @Test func manyObjectsAreHeldAtOnce() throws {
    let objects = (0..<40).map { _ in Account() }
    for depth in 0..<3 {
      for object in objects { for _ in 0...depth { objc_sync_enter(object) } }
      for object in objects.reversed() {
        for _ in 0...depth { #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS) }
        #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
      }
      for object in objects { try runThreads(1) { _ in synchronized(object) {} } }
    }
  }

  @Test func theBodysResultAndErrorAreReturnedWithTheLockFree() throws {
    struct Refusal: Error {}
    let object = Account()
    #expect(synchronized(object) { "result" } == "result")
    #expect(throws: Refusal.self) { try synchronized(object) { throw Refusal() } }
    #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
  }

  /// An object may get the address of an earlier object that was locked.
  @Test func shortLivedObjects() throws {
    try runThreads(3) { _ in
      for _ in 0..<2_000 {
        let object = Account()
        synchronized(object) { synchronized(object) {} }
        if objc_sync_exit(object) != OBJC_SYNC_NOT_OWNING_THREAD_ERROR {
          Issue.record("a new object is held")
        }
      }
    }
  }

  @Test func theLockIsNamedByItsObject() {
    let object = Account()
    #expect(words(object).hasPrefix("the lock of the object <Account: 0x"))
  }
}
