// RunLoopTests — defects of the toolchain's run loops that this library does not have.

import SignalboxRunLoop
import SignalboxTestSupport
import Testing

@Suite struct RunLoopTests {
  /// D30: in the toolchain the block waits until something else wakes the loop.
  @Test func aPerformFromAnotherThreadWakesTheLoop() throws {
    let thread = try LoopThread()
    for _ in 0..<50 {
      try waitUntilAsleep(thread.loop)
      let ran = Gate("the block")
      RunLoop.of(thread.loop).perform { ran.open() }
      try ran.wait()
    }
    try thread.end()
  }
}
