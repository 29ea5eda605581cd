// A once that calls itself can never end.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("a once that calls itself traps")
struct OnceTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("a once calls itself", says: "DispatchOnce", "itself") {
      let once = DispatchOnce()
      once.perform { once.perform {} }
    }
    Misuse("a once calls itself through a sync", says: "DispatchOnce", "itself") {
      let once = DispatchOnce()
      let queue = DispatchQueue(label: "org.signalbox.crash.once")
      once.perform { queue.sync { once.perform {} } }
    }
  }

  @Test func aCallAfterTheBodyIsSilent() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let once = DispatchOnce()
      for _ in 0..<3 { once.perform {} }
    }
  }
}
