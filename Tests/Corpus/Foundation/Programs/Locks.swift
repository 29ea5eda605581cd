// Locks — every member of the plain and the recursive lock, alone and between two threads.

import Foundation

enum Locks {
  static func run() {
    plain()
    recursive()
    print(contended(NSLock()), contended(NSRecursiveLock()))
  }

  static func plain() {
    let lock = NSLock()
    print(lock.name ?? "no name")
    lock.name = "corpus.lock"
    print(lock.name ?? "no name")
    lock.lock()
    print("held:", lock.try(), lock.lock(before: Date(timeIntervalSinceNow: 0.002)))
    lock.unlock()
    print("free:", lock.try())
    lock.unlock()
    print("free:", lock.lock(before: .distantFuture))
    lock.unlock()
    print("late:", lock.lock(before: Date.distantPast))
    lock.unlock()
    print(lock.withLock { 3 }, lock.withLock { "three" })
    do {
      try lock.withLock { throw CocoaError(.fileNoSuchFile) }
    } catch {
      print("thrown, and free:", lock.try())
      lock.unlock()
    }
  }

  static func recursive() {
    let lock = NSRecursiveLock()
    print(lock.name ?? "no name")
    lock.name = "corpus.recursive"
    print(lock.name ?? "no name")
    lock.lock()
    lock.lock()
    print("again:", lock.try(), lock.lock(before: Date(timeIntervalSinceNow: 1)))
    for _ in 0..<4 { lock.unlock() }
    print(lock.withLock { lock.withLock { "within" } })
    func descend(_ depth: Int) -> Int {
      lock.withLock { depth == 0 ? 0 : 1 + descend(depth - 1) }
    }
    print(descend(20))
  }

  /// A count that two threads change.
  static func contended(_ lock: any NSLocking & Sendable) -> Int {
    final class Count: @unchecked Sendable { var value = 0 }  // SAFETY: changed under the lock.
    let count = Count()
    let ended = NSCondition()
    let threads = Count()
    for _ in 0..<2 {
      Thread.detachNewThread {
        for _ in 0..<1000 {
          lock.lock()
          count.value += 1
          lock.unlock()
        }
        ended.lock()
        threads.value += 1
        ended.signal()
        ended.unlock()
      }
    }
    ended.lock()
    while threads.value < 2 { ended.wait() }
    ended.unlock()
    return count.value
  }
}
