// SharedLocks — the memory of read–write locks and of locks of objects, their state in a forked
// child, and the system's locks beside ours on the main thread.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks

private final class Account: Sendable {}

package enum SharedLockScenario: String, CountedScenario {
  case objectsLockedByThreadsThatEnd = "objects-locked-by-threads-that-end"
  case memoryOfAReadWriteLock = "memory-of-a-read-write-lock"
  case memoryOfReaders = "memory-of-readers"
  case forkWithSharedLocksOfTheThreadThatForks = "fork-with-shared-locks-of-the-thread-that-forks"
  case forkWithSharedLocksOfAnotherThread = "fork-with-shared-locks-of-another-thread"
  case forkWhileLocksAreBusy = "fork-while-locks-are-busy"
  case posixLocksBesideOurs = "posix-locks-beside-ours"
}

extension SharedLockScenario: Scenario {
  func run() {
    switch self {
    case .objectsLockedByThreadsThatEnd:
      let objects = (0..<1000).map { _ in Account() }
      onThreadsToTheirEnd(8) { for object in objects { synchronized(object) {} } }
      report("after-threads", ObjectLocks.count)
      for object in objects { objc_sync_enter(object) }
      report("held", ObjectLocks.count)
      for object in objects { objc_sync_exit(object) }
      report("after-main", ObjectLocks.count)
    case .memoryOfAReadWriteLock:
      var locks: [ReadWriteLock] = []
      locks.reserveCapacity(1000)
      let before = bytesInUse()
      for _ in 0..<1000 { locks.append(ReadWriteLock()) }
      report("bytes", (bytesInUse() - before) / 1000)
      for lock in locks {
        lock.withReadLock {}
        lock.withWriteLock {}
      }
    case .memoryOfReaders:
      let lock = ReadWriteLock()
      func readOnThreads(_ count: Int) {
        for _ in 0..<count { onThreadsToTheirEnd(4) { lock.withReadLock {} } }
      }
      readOnThreads(10)
      let before = bytesInUse()
      readOnThreads(100)
      report("bytes", bytesInUse() - before)
    case .forkWithSharedLocksOfTheThreadThatForks:
      let (read, written, object) = (ReadWriteLock(), ReadWriteLock(), Account())
      useEach(read, written, object)
      read.lockForReading()
      read.lockForReading()
      written.lockForWriting()
      objc_sync_enter(object)
      let leave = {
        read.unlock()
        read.unlock()
        written.unlock()
        if objc_sync_exit(object) != OBJC_SYNC_SUCCESS { _exit(11) }
        useEach(read, written, object)
      }
      reportChild("child", leave)
      leave()
      report("parent", "goes on")
    case .forkWithSharedLocksOfAnotherThread:
      let (read, written, object) = (ReadWriteLock(), ReadWriteLock(), Account())
      (read.name, written.name) = ("lost reader", "lost writer")
      let held = DispatchSemaphore(value: 0)
      onForeignThread {
        read.lockForReading()
        written.lockForWriting()
        objc_sync_enter(object)
        held.signal()
        while true { pause() }
      }
      held.wait()
      reportChild("read-what-is-read") { read.withReadLock {} }
      reportChild("write-what-is-read") { read.lockForWriting() }
      reportChild("read-what-is-written") { written.lockForReading() }
      reportChild("write-what-is-written") { written.lockForWriting() }
      reportChild("enter") { objc_sync_enter(object) }
      reportChild("others") { useEach(ReadWriteLock(), ReadWriteLock(), Account()) }
    case .forkWhileLocksAreBusy:
      let (read, written, object) = (ReadWriteLock(), ReadWriteLock(), Account())
      // The Swift runtime creates what it creates once before the first fork.
      useEach(read, written, object)
      ForkedLocks.shared = ForkedLocks(locks: [read, written], object: object)
      let error = csc_at_fork(
        { ForkedLocks.shared.lock() }, { ForkedLocks.shared.unlock() },
        { ForkedLocks.shared.unlock() })
      if error != 0 { fail("pthread_atfork: \(error)") }
      let stop = Tally()
      let ended = Tally()
      let turns = (0..<4).map { _ in Tally() }
      for number in 0..<4 {
        onForeignThread {
          while stop.count == 0 {
            useEach(read, written, object)
            turns[number].increment()
          }
          ended.increment()
        }
      }
      while turns.contains(where: { $0.count < 10 }) { sched_yield() }
      var well = 0
      for _ in 0..<integerArgument(0, default: 100) {
        let child = csc_fork()
        if child == 0 {
          alarm(30)
          useEach(read, written, object)
          _exit(0)
        }
        if csc_wait(child) == 0 { well += 1 }
      }
      report("well", well)
      stop.increment()
      while ended.count < 4 { sched_yield() }
    case .posixLocksBesideOurs:
      let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      let rwlock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
      rwlock.initialize(to: pthread_rwlock_t())
      pthread_rwlock_init(rwlock, nil)
      let ours = ReadWriteLock()
      // SAFETY: touched under the locks.
      nonisolated(unsafe) let (mutexes, rwlocks) = (mutex, rwlock)
      nonisolated(unsafe) var count = 0
      let use: @Sendable () -> Void = {
        for round in 0..<2000 {
          if round % 2 == 0 {
            pthread_rwlock_wrlock(rwlocks)
          } else {
            pthread_rwlock_rdlock(rwlocks)
          }
          pthread_mutex_lock(mutexes)
          ours.withWriteLock { count += 1 }
          pthread_mutex_unlock(mutexes)
          pthread_rwlock_unlock(rwlocks)
        }
      }
      let group = DispatchGroup()
      for _ in 0..<2 { DispatchQueue.global().async(group: group, execute: use) }
      let ended = DispatchSemaphore(value: 0)
      onForeignThread {
        use()
        ended.signal()
      }
      use()
      DispatchQueue.main.async(group: group, execute: use)
      DispatchMainQueueHost.drain()
      ended.wait()
      group.wait()
      report("count", count)
    }
  }
}

/// A library that keeps its locks consistent across a fork.
// SAFETY: set once, before the process forks.
private struct ForkedLocks: @unchecked Sendable {
  nonisolated(unsafe) static var shared = ForkedLocks(locks: [], object: nil)

  let locks: [ReadWriteLock]
  let object: Account?

  func lock() {
    for lock in locks { lock.lockForWriting() }
    objc_sync_enter(object)
  }

  func unlock() {
    objc_sync_exit(object)
    for lock in locks { lock.unlock() }
  }
}

private func useEach(_ a: ReadWriteLock, _ b: ReadWriteLock, _ object: Account) {
  for lock in [a, b] {
    lock.withReadLock { lock.withReadLock {} }
    lock.withWriteLock {}
  }
  synchronized(object) { synchronized(object) {} }
}

/// Runs `body` on `count` threads, and returns when they have ended and returned everything
/// that they kept.
private func onThreadsToTheirEnd(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
  let threads = (0..<count).map { _ in
    var thread = pthread_t()
    // SAFETY: retained here, released by the thread.
    let box = Unmanaged.passRetained(Box(body))
    let error = pthread_create(
      &thread, nil,
      { context in
        // SAFETY: as above.
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    if error != 0 { fail("pthread_create: \(error)") }
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}
