// EndlessLoopTests — a parallel loop that is left by the end of the process.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded) struct EndlessLoopTests {
  @Test func aLoopOfAsManyIterationsAsThereAreNumbersCanBeLeft() async {
    await #expect(processExitsWith: .success) {
      DispatchQueue.concurrentPerform(iterations: .max) { if $0 == 100_000 { _exit(0) } }
    }
  }
}
