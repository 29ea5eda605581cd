// A once that calls itself can never end.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("a once that calls itself traps")
struct OnceTests {
  @Test func directly() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let once = DispatchOnce()
      once.perform { once.perform {} }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchOnce", "itself")
  }

  @Test func throughASyncOntoAQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let once = DispatchOnce()
      let queue = DispatchQueue(label: "org.signalbox.crash.once")
      once.perform { queue.sync { once.perform {} } }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchOnce", "itself")
  }

  @Test func calledAgainAfterwardsItIsSilent() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let once = DispatchOnce()
      for _ in 0..<3 { once.perform {} }
    }
  }
}
