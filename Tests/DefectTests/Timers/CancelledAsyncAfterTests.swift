// CancelledAsyncAfterTests — D22: a cancelled item is freed at once.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct CancelledAsyncAfterTests {
  enum Form: CaseIterable { case uptime, wall }

  @Test(arguments: Form.allCases)
  func capturesAreFreedWhenCancelReturns(_ form: Form) {
    let tracker = LeakTracker()
    let ran = EventCounter("runs")
    func makeItem() -> DispatchWorkItem {
      let object = tracker.makeObject()
      return DispatchWorkItem {
        object.touch()
        ran.increment()
      }
    }
    let queue = DispatchQueue(label: "test.cancelled")
    var aliveWhilePending = 0
    var aliveAfterCancel = 0
    for _ in 0..<100 {
      let item = makeItem()
      switch form {
      case .uptime: queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
      case .wall: queue.asyncAfter(wallDeadline: .now() + .seconds(3600), execute: item)
      }
      aliveWhilePending += tracker.alive
      item.cancel()
      aliveAfterCancel += tracker.alive
    }
    #expect(tracker.made == 100)
    #expect(aliveWhilePending == 100)
    #expect(aliveAfterCancel == 0)
    #expect(ran.value == 0)
  }

  @Test func queueOfACancelledItemIsFreed() throws {
    let queues = WeakWatch()
    func schedule() -> DispatchWorkItem {
      let queue = queues.watch(DispatchQueue(label: "test.cancelled.queue"))
      let item = DispatchWorkItem {}
      queue.asyncAfter(deadline: .now() + .seconds(3600), execute: item)
      return item
    }
    let items = (0..<10).map { _ in schedule() }
    #expect(queues.alive == 10)
    for item in items { item.cancel() }
    try queues.waitUntilAllAreFreed()
    #expect(items.allSatisfy { $0.isCancelled })
  }
}
