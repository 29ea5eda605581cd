// PosixLocksTests — POSIX mutexes and read–write locks beside ours, on workers of the pool and on
// plain threads. The scenario `posix-locks-beside-ours` covers the main thread.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite struct PosixLocksTests {
  /// The system's locks and ours, and a count that each of them guards.
  // SAFETY: any thread may use the system's locks, which stay at their addresses; each lock
  // guards its count.
  private final class Locks: @unchecked Sendable {
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let rwlock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    let ours = NSLock()
    let oursToo = ReadWriteLock()
    // Not an array, because that would be one variable.
    let counts = UnsafeMutablePointer<Int>.allocate(capacity: 4)

    init() {
      counts.initialize(repeating: 0, count: 4)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      rwlock.initialize(to: pthread_rwlock_t())
      pthread_rwlock_init(rwlock, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      pthread_rwlock_destroy(rwlock)
      mutex.deallocate()
      rwlock.deallocate()
      counts.deallocate()
    }

    /// Takes each lock inside other locks of a lower place, one after another.
    func use(_ round: Int) {
      inMutex(round % 2 == 0) {
        self.inLock(round % 3 == 0) {
          self.inSystemsReadWriteLock(round) { self.inReadWriteLock(round) {} }
        }
      }
    }

    private func inMutex(_ isUsed: Bool, _ body: () -> Void) {
      guard isUsed else { return body() }
      #expect(pthread_mutex_lock(mutex) == 0)
      counts[0] += 1
      body()
      #expect(pthread_mutex_unlock(mutex) == 0)
    }

    private func inLock(_ isUsed: Bool, _ body: () -> Void) {
      guard isUsed else { return body() }
      ours.withLock {
        counts[1] += 1
        body()
      }
    }

    private func inSystemsReadWriteLock(_ round: Int, _ body: () -> Void) {
      if round % 4 == 0 {
        #expect(pthread_rwlock_wrlock(rwlock) == 0)
        counts[2] += 1
      } else {
        #expect(pthread_rwlock_rdlock(rwlock) == 0)
      }
      body()
      #expect(pthread_rwlock_unlock(rwlock) == 0)
    }

    private func inReadWriteLock(_ round: Int, _ body: () -> Void) {
      if round % 5 == 0 {
        oursToo.withWriteLock {
          counts[3] += 1
          body()
        }
      } else {
        oursToo.withReadLock(body)
      }
    }
  }

  @Test func theyGuardOnWorkersAndOnPlainThreads() throws {
    let locks = Locks()
    let rounds = 600
    let group = DispatchGroup()
    for qos in [DispatchQoS.background, .utility, .default, .userInteractive] {
      DispatchQueue(label: "posix", qos: qos).async(group: group) {
        for round in 0..<rounds { locks.use(round) }
      }
    }
    DispatchQueue.global().async(group: group) {
      DispatchQueue.concurrentPerform(iterations: rounds) { locks.use($0) }
    }
    try runThreads(3) { _ in for round in 0..<rounds { locks.use(round) } }
    group.wait()
    for (index, part) in [2, 3, 4, 5].enumerated() {
      #expect(locks.counts[index] == 8 * rounds / part)
    }
  }

  /// A worker that waits for a mutex of the system is replaced, like any blocked worker.
  @Test func itemsThatWaitForAMutexDoNotStopThePool() throws {
    let locks = Locks()
    let group = DispatchGroup()
    pthread_mutex_lock(locks.mutex)
    for _ in 0..<16 {
      DispatchQueue.global().async(group: group) {
        pthread_mutex_lock(locks.mutex)
        locks.counts[0] += 1
        pthread_mutex_unlock(locks.mutex)
      }
    }
    let others = EventCounter("items that wait for nothing")
    for _ in 0..<16 { DispatchQueue.global().async { others.increment() } }
    try others.wait(for: 16)
    pthread_mutex_unlock(locks.mutex)
    group.wait()
    #expect(locks.counts[0] == 16)
  }
}
