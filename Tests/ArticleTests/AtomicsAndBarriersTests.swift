// AtomicsAndBarriersTests — the code of "Atomics, barriers, and what volatile is not".

import SignalboxDispatch
import SignalboxLocks
import Testing

// block: AtomicsAndBarriers/atomic
import Synchronization

// end

// block: AtomicsAndBarriers/barrier
final class Flags: Sendable {
  let a = Atomic(0)
  let b = Atomic(0)

  func one() -> Int {
    // order: relaxed; the barrier orders it.
    a.store(1, ordering: .relaxed)
    OSMemoryBarrier()
    // order: relaxed; the barrier orders it.
    return b.load(ordering: .relaxed)
  }

  func other() -> Int {
    // order: relaxed; the barrier orders it.
    b.store(1, ordering: .relaxed)
    OSMemoryBarrier()
    // order: relaxed; the barrier orders it.
    return a.load(ordering: .relaxed)
  }
}
// end

@Suite("Atomics and barriers") struct AtomicsAndBarriersTests {
  @Test func aLockKeepsTwoThingsRight() {
    var balance = 10
    var history: [Int] = []
    let amount = 4
    // block: AtomicsAndBarriers/lock
    let lock = NSLock()
    lock.withLock {
      balance -= amount
      history.append(amount)
    }
    // end
    #expect(balance == 6 && history == [4])
  }

  @Test func oneWord() {
    // block: AtomicsAndBarriers/atomic
    let served = Atomic(0)
    // order: relaxed; it is only counted.
    served.wrappingAdd(1, ordering: .relaxed)

    let isReady = Atomic(false)
    // order: releasing; what came before …
    isReady.store(true, ordering: .releasing)
    // order: acquiring; … is seen here, if this is true.
    let sees = isReady.load(ordering: .acquiring)
    // end
    // order: relaxed; one thread.
    #expect(served.load(ordering: .relaxed) == 1 && sees)
  }

  @Test func withABarrierInBothThreadsAtLeastOneSeesTheOthersFlag() {
    for _ in 0..<1000 {
      let flags = Flags()
      let seen = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: 2) { side in
        // order: relaxed; read after both have ended.
        seen.wrappingAdd(side == 0 ? flags.one() : flags.other(), ordering: .relaxed)
      }
      // order: relaxed; concurrentPerform has returned.
      #expect(seen.load(ordering: .relaxed) >= 1)
    }
  }
}
