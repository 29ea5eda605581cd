// LocksTests — the code of "Locks".

import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

// block: Locks/account
/// An account that any thread may use.
final class Account: Sendable {
  private let state = OSAllocatedUnfairLock(initialState: (balance: 0, entries: 0))

  func credit(_ amount: Int) {
    state.withLock {
      $0.balance += amount
      $0.entries += 1
    }
  }

  var balance: Int { state.withLock { $0.balance } }
}
// end

@Suite("Locks") struct LocksTests {
  @Test func aLockThatContainsWhatItGuards() {
    let account = Account()
    DispatchQueue.concurrentPerform(iterations: 100) { _ in account.credit(2) }
    #expect(account.balance == 200)
  }

  @Test func aConsumerWaitsUntilThereIsAProduct() {
    // block: Locks/condition
    let condition = NSCondition()
    // SAFETY: touched with `condition` locked.
    nonisolated(unsafe) var jobs: [Int] = []

    let worker = JoinableThread {
      condition.withLock {
        while jobs.isEmpty { condition.wait() }  // a loop: a wake-up is only a hint
        return jobs.removeFirst()
      }
    }
    worker.start()
    condition.withLock {
      jobs.append(7)
      condition.signal()
    }
    let job = worker.join()
    // end
    #expect(job == 7)
  }

  @Test func manyReadersOneWriter() {
    // block: Locks/readwrite
    let lock = ReadWriteLock()
    // SAFETY: written under the write lock, read under either.
    nonisolated(unsafe) var routes = ["/": "home"]

    lock.withWriteLock { routes["/about"] = "about" }
    let page = lock.withReadLock { routes["/about"] }
    // end
    #expect(page == "about")
  }

  @Test func madeOnce() {
    // block: Locks/once
    let table = Lazy { (0..<256).map { $0 * $0 } }
    let square = table.value[12]  // made here, once, whichever thread comes first
    // end
    #expect(square == 144)
  }

  @Test func releasedWhileHeld() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse()
      // block: Locks/not-left
      func misuse() {
        let lock = NSLock()
        lock.name = "accounts"
        lock.lock()
      }
      // end
    }
    // block: Locks/not-left-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: the NSLock "accounts" was released
      while thread 1 (kernel 4711, "import") held it: unlock it before
      the last reference goes away.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }
}
