// ChannelFactsTests — the threads that reads hold while they wait for the other side.

import CountedFacts
import SignalboxTestSupport
import Testing

extension CountedFactsTests {
  /// Reads wait in the kernel for the other side. The threads are main, one worker for each
  /// processor, the poller and its backup, and the monitor.
  @Test(arguments: [64, 200])
  func readsThatWaitHoldNoThread(count: Int) throws {
    let facts = try factsOfOneNotHeldUp("mostThreads", atMost: 1 + 2 + 3) {
      try Facts(
        of: ChannelScenario.threadsOfReadsThatWait, "\(count)",
        environment: ["SIGNALBOX_WORKERS": "2"])
    }
    #expect(try facts.integer("mostThreads") <= 1 + 2 + 3)
    #expect(try facts.integer("wakeUps") == 0)
    #expect(try facts.integer("early") == 0)
    #expect(try facts.integer("read") == count - count / 4)
    #expect(try facts.integer("stopped") == count / 4)
    #expect(try facts.integer("wrong") == 0)
  }
}
