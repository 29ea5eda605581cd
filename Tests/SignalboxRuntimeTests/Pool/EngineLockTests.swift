// EngineLockTests — the engine's own lock, alone and with many threads at once.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Engine lock", .guarded) struct EngineLockTests {
  /// What the lock guards: two counters that are equal outside of it.
  private final class Guarded2: @unchecked Sendable {  // SAFETY: touched under `lock`.
    let lock = EngineLock()
    var first = 0
    var second = 0
  }

  @Test func oneHolderAtATimeInAStampede() throws {
    let shared = Guarded2()
    let torn = EventCounter("torn reads")
    try runThreads(8) { _ in
      for _ in 0..<5_000 {
        shared.lock.lock()
        if shared.first != shared.second { torn.increment() }
        shared.first += 1
        shared.second += 1
        shared.lock.unlock()
      }
    }
    #expect(torn.value == 0)
    #expect(shared.first == 40_000)
    #expect(shared.second == 40_000)
  }

  @Test func resultOfTheBodyIsReturned() {
    let shared = Guarded2()
    #expect(shared.lock.withLock { 42 } == 42)
    // The lock was released: taking it again does not wait.
    #expect(shared.lock.withLock { 43 } == 43)
  }
}
