// LivelocksTests — the code of "Livelocks".

import SignalboxDispatch
import SignalboxLocks
import SignalboxTestSupport
import SignalboxThreads
import Testing

private let step = Rendezvous(parties: 2)

/// Waits until both threads are here.
private func keepStep() {
  do { try step.meet() } catch { Wedge.fatal("\(error)") }
}

// block: Livelocks/polite
let knife = NSLock()
let fork = NSLock()

/// Tries to have both locks, so many times.
func dinePolitely(_ own: NSLock, _ other: NSLock, attempts: Int) -> Bool {
  for _ in 0..<attempts {
    own.lock()
    keepStep()
    let hasBoth = other.try()
    keepStep()
    if hasBoth { other.unlock() }
    own.unlock()  // polite: the other thread may need it
    if hasBoth { return true }
  }
  return false
}
// end

@Suite("Livelocks", .serialized) struct LivelocksTests {
  @Test func twoPoliteThreads() {
    // block: Livelocks/polite
    let ada = JoinableThread { dinePolitely(knife, fork, attempts: 1000) }
    let grace = JoinableThread { dinePolitely(fork, knife, attempts: 1000) }
    ada.start()
    grace.start()
    let haveDined = (ada.join(), grace.join())  // (false, false)
    // end
    #expect(haveDined == (false, false))
  }

  @Test func inOneOrder() {
    // block: Livelocks/order
    /// Both threads take the knife first. The second thread waits.
    @Sendable func dine() -> Bool {
      knife.withLock {
        fork.withLock { true }
      }
    }
    // end
    #expect(both(dine) == [true, true])
  }

  @Test func afterPausesOfRandomLength() {
    // block: Livelocks/pause
    /// Makes way for a time that the other thread does not draw too.
    @Sendable func dine(_ own: NSLock, _ other: NSLock) -> Bool {
      while true {
        let hasDined = own.withLock {
          guard other.try() else { return false }
          other.unlock()
          return true
        }
        if hasDined { return true }
        Thread.sleep(forTimeInterval: .random(in: 0...0.001))
      }
    }
    // end
    let threads = [
      JoinableThread { dine(knife, fork) }, JoinableThread { dine(fork, knife) },
    ]
    for thread in threads { thread.start() }
    #expect(threads.map { $0.join() } == [true, true])
  }

  @Test func oneQueueInPlaceOfTwoLocks() {
    // block: Livelocks/queue
    let table = DispatchQueue(label: "org.example.table")  // knife and fork lie here

    @Sendable func dine() -> Bool {
      table.sync { true }
    }
    // end
    #expect(both(dine) == [true, true])
  }

  private func both(_ body: @escaping @Sendable () -> Bool) -> [Bool] {
    let threads = [JoinableThread(body), JoinableThread(body)]
    for thread in threads { thread.start() }
    return threads.map { $0.join() }
  }
}
