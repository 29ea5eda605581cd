// QueueLevelTests — the count of a queue's urgent items.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

@testable import SignalboxDispatch

@Suite struct QueueLevelTests {
  /// A queue that stands still may get any number of urgent items.
  @Test func moreUrgentItemsThanTheWordCountsAreNoHarm() {
    let level = QueueLevel()
    let urgent = Urgency(.userInitiated)
    var counted = 0
    for _ in 0..<1 << 24 where level.addUrgent(urgent) { counted += 1 }
    let more = [level.addUrgent(urgent), level.addUrgent(Urgency(.userInteractive))]
    #expect(counted == 1 << 24 - 1)
    #expect(more == [false, false])
    #expect(level.current(.standard) == Urgency(.userInteractive))
    for _ in 0..<counted { level.removeUrgent() }
    #expect(level.current(.standard) == .standard)
    let again = level.addUrgent(urgent)
    #expect(again)
    level.removeUrgent()
  }

  @Test func anUrgentCallerOfAsyncAndWaitHurriesTheQueue() throws {
    let queue = DispatchQueue(label: "test.hurried", qos: .utility)
    queue.suspend()
    let ranAt = EventLog<Urgency>()
    let caller = try PlainThread {
      Urgency.keeping {
        Urgency.ofThisThread = .userInteractive
        queue.asyncAndWait { ranAt.append(.ofThisThread) }
      }
    }
    try WaitWatch.waitUntilAsleep(for: .sync, on: queue.label)
    #expect(queue.level.current(queue.baseLevel) == .userInteractive)
    queue.resume()
    try caller.join()
    #expect(ranAt.all == [.utility])
    #expect(queue.level.current(queue.baseLevel) == .utility)
  }
}
