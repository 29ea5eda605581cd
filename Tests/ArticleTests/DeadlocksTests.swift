// The code of "Deadlocks".

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite("Deadlocks") struct DeadlocksTests {
  @Test func twoQueuesThatWaitForEachOther() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      alarm(120)
      // block: Deadlocks/circle
      let a = DispatchQueue(label: "org.example.a")
      let b = DispatchQueue(label: "org.example.b")
      let aIsTaken = DispatchSemaphore(value: 0)
      let bIsTaken = DispatchSemaphore(value: 0)

      a.async {
        aIsTaken.signal()
        bIsTaken.wait()
        b.sync { print("never") }
      }
      b.async {
        bIsTaken.signal()
        aIsTaken.wait()
        a.sync { print("never") }
      }
      // end
      while true { pause() }
    }
    // block: Deadlocks/circle-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: deadlock: thread 4 ("sb-default-2"), on the queue
      "org.example.b", waits in sync, for the queue "org.example.a", held by thread 3
      ("sb-default-1"), which, on the queue "org.example.a", waits in sync, for the queue
      "org.example.b", held by thread 4. None can ever go on.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func aLockTakenTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse()
      func misuse() {
        // block: Deadlocks/lock-twice
        let lock = NSLock()
        lock.name = "accounts"
        lock.lock()
        lock.lock()
        // end
      }
    }
    // block: Deadlocks/lock-twice-said
    let said = """
      BUG IN CLIENT OF SIGNALBOX: the NSLock "accounts" is held by this thread already.
      """
    // end
    Said.expect(result?.standardErrorContent, said)
  }

  @Test func oneOrderForAll() {
    // block: Deadlocks/order
    let from = NSLock()
    let to = NSLock()
    func transfer(_ body: () -> Void) {
      from.withLock {
        to.withLock(body)  // whoever needs both takes them in this order
      }
    }
    // end
    var moved = 0
    transfer { moved += 1 }
    #expect(moved == 1)
  }

  @Test func noSyncWhereNoAnswerIsNeeded() throws {
    let done = EventCounter()
    // block: Deadlocks/async
    let a = DispatchQueue(label: "org.example.a")
    let b = DispatchQueue(label: "org.example.b")
    a.async {
      b.async {
        a.async { done.increment() }  // the answer comes as an item; nobody waits
      }
    }
    // end
    try done.wait(for: 1)
  }
}
