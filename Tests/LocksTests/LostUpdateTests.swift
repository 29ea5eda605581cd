// LostUpdateTests — the lost update of `i++` on two processors: a load and a store, with another
// thread's update in between. Events bring it there, so the test does not depend on chance.

import SignalboxLocks
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct LostUpdateTests {
  /// A number that several threads use.
  private final class Number: @unchecked Sendable {
    // SAFETY: events order its users, or they are atomic.
    let value = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    init() { value.initialize(to: 0) }
    deinit { value.deallocate() }
  }

  /// One thread loads, another increments, and the first one stores with `store`. `store`
  /// receives the loaded value and returns whether it has stored.
  private func interleaved(
    store: @escaping @Sendable (UnsafeMutablePointer<Int32>, _ loaded: Int32) -> Bool
  ) throws -> (number: Int32, isStored: Bool) {
    let number = Number()
    let hasLoaded = Gate("the first thread's load")
    let hasIncremented = Gate("the second thread's increment")
    let isStored = Guarded(false)
    try runThreads(2) { thread in
      if thread == 0 {
        let loaded = number.value.pointee
        hasLoaded.open()
        try hasIncremented.wait()
        isStored.withValue { $0 = store(number.value, loaded) }
      } else {
        try hasLoaded.wait()
        number.value.pointee += 1
        hasIncremented.open()
      }
    }
    return (number.value.pointee, isStored.current)
  }

  @Test func aPlainStoreOverwritesTheOtherThreadsIncrement() throws {
    let outcome = try interleaved { value, loaded in
      value.pointee = loaded + 1
      return true
    }
    #expect(outcome.number == 1)
  }

  @Test func anAtomicStoreNoticesTheOtherThreadsIncrement() throws {
    for swap in [OSAtomicCompareAndSwap32, OSAtomicCompareAndSwap32Barrier] {
      let outcome = try interleaved { value, loaded in swap(loaded, loaded + 1, value) }
      #expect(!outcome.isStored)
      #expect(outcome.number == 1)
    }
  }

  /// Nothing can come between the halves of an atomic increment.
  @Test func anAtomicIncrementLosesNothing() throws {
    let outcome = try interleaved { value, _ in OSAtomicIncrement32(value) == 2 }
    #expect(outcome.isStored)
    #expect(outcome.number == 2)
    let number = Number()
    try runThreads(4) { thread in
      for _ in 0..<10_000 {
        if thread % 2 == 0 {
          OSAtomicIncrement32(number.value)
        } else {
          OSAtomicAdd32Barrier(3, number.value)
        }
      }
    }
    #expect(number.value.pointee == 2 * 10_000 + 2 * 30_000)
  }
}
