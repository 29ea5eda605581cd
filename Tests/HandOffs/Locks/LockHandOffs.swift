// LockHandOffs — what locks pass from one holder to the next.

import SignalboxLocks

let lockHandOffs = [
  HandOff("nslock-by-turns") {
    let lock = NSLock()
    byTurns { _, body in lock.withLock(body) }
  },
  HandOff("nslock-try-by-turns") {
    let lock = NSLock()
    byTurns { _, body in
      // The other thread may be about to release the lock.
      while !lock.try() {}
      body()
      lock.unlock()
    }
  },
  HandOff("nslock-contended") {
    let lock = NSLock()
    contended { _, round, count in
      lock.withLock {
        count.value += 1
        if round % 4 == 0 { work(round / 4) }
      }
    }
  },
  HandOff("nslock-before-a-date-contended") {
    let lock = NSLock()
    contended { thread, round, count in
      while !lock.lock(before: Date() + 0.000_05 * Double(thread + 1)) {}
      count.value += 1
      if round % 4 == 0 { work(round / 4) }
      lock.unlock()
    }
  },
  HandOff("unfair-lock-by-turns") {
    let holder = Unfair()
    byTurns { _, body in holder.lock.withLock(body) }
  },
  HandOff("unfair-lock-contended") {
    let holder = Unfair()
    contended { _, round, count in
      if round % 2 == 0 || !holder.lock.tryLock() { holder.lock.lock() }
      count.value += 1
      if round % 4 == 0 { work(round / 4) }
      holder.lock.unlock()
    }
  },
  HandOff("allocated-unfair-lock-contended") {
    // The lock guards its own state.
    let total = OSAllocatedUnfairLock(initialState: 0)
    contended { _, round, count in
      let isTaken: Void? =
        round % 2 == 0
        ? total.withLockIfAvailable {
          $0 += 1
          count.value += 1
        } : nil
      if isTaken == nil {
        total.withLock {
          $0 += 1
          count.value += 1
        }
      }
    }
    expect(total.withLock { $0 }, 3 * chanceRounds, "the total")
  },
  HandOff("os-unfair-lock-contended") {
    // SAFETY: the functions are atomic; the lock is never freed.
    nonisolated(unsafe) let lock = os_unfair_lock_t.allocate(capacity: 1)
    lock.initialize(to: os_unfair_lock())
    contended { _, round, count in
      if round % 2 == 0 || !os_unfair_lock_trylock(lock) { os_unfair_lock_lock(lock) }
      count.value += 1
      if round % 4 == 0 { work(round / 4) }
      os_unfair_lock_unlock(lock)
    }
  },
  HandOff("osatomic-barrier-by-turns") {
    // A flag of the client, set and read by functions with a barrier.
    let flag = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    flag.initialize(to: 0)
    // SAFETY: accessed atomically, and never freed.
    nonisolated(unsafe) let word = flag
    byTurns { _, body in
      while !OSAtomicCompareAndSwap32Barrier(0, 1, word) {}
      body()
      if OSAtomicDecrement32Barrier(word) != 0 { fatal("two in the same place") }
    }
  },
  HandOff("locks-of-a-client") {
    // A typical program of accounts: each has a lock, taken in one order; a total is read under
    // all of them; a log has a lock of its own.
    let accounts = (0..<3).map { _ in Account() }
    let log = Log()
    let transfers = chanceRounds
    together(
      (0..<3).map { thread in
        {
          for round in 0..<transfers {
            let (from, to) = ((thread + round) % 3, (thread + round + 1 + round % 2) % 3)
            let (first, second) = (accounts[min(from, to)], accounts[max(from, to)])
            first.lock.withLock {
              second.lock.withLock {
                accounts[from].balance -= 1
                accounts[to].balance += 1
              }
            }
            if !log.tryToAdd(round) { log.add(round) }
            if round % 16 == 0 {
              for account in accounts { account.lock.lock() }
              expect(accounts.reduce(0) { $0 + $1.balance }, 0, "the total")
              for account in accounts.reversed() { account.lock.unlock() }
            }
          }
        }
      })
    expect(log.count, 3 * transfers, "entries of the log")
  },
]

private final class Unfair: Sendable { let lock = UnfairLock() }

// SAFETY: `lock` guards `balance`.
private final class Account: @unchecked Sendable {
  let lock = NSLock()
  var balance = 0
}

// SAFETY: `lock` guards `entries`.
private final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [Int] = []

  func add(_ entry: Int) { lock.withLock { entries.append(entry) } }

  func tryToAdd(_ entry: Int) -> Bool {
    guard lock.try() else { return false }
    defer { lock.unlock() }
    entries.append(entry)
    return true
  }

  var count: Int { lock.withLock { entries.count } }
}
