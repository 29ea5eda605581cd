// WorkItemEndTests — when a cancelled item has ended.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Work item's end", .guarded) struct WorkItemEndTests {
  @Test func itemCancelledBeforeItsDelayButPerformedEndsOnce() {
    let told = EventCounter("told")
    let queue = DispatchQueue(label: "notices")
    let item = DispatchWorkItem {}
    queue.asyncAfter(deadline: .distantFuture, execute: item)
    item.notify(queue: queue) { told.increment() }
    item.perform()
    item.cancel()
    queue.sync {}
    #expect(told.value == 1)
  }

  @Test func runInProgressEndsAnItemThatIsCancelledDuringIt() throws {
    let began = Gate("item began")
    let mayEnd = Gate("item may end")
    let queue = DispatchQueue(label: "runs")
    let item = DispatchWorkItem {
      began.open()
      mayEnd.pass()
    }
    queue.asyncAfter(deadline: .distantFuture, execute: item)
    queue.async(execute: item)
    try began.wait()
    item.cancel()
    #expect(item.wait(timeout: .now()) == .timedOut)
    mayEnd.open()
    item.wait()
  }

  /// The captures of the closure are freed between the end of the only run and its
  /// announcement. Here the item is dequeued as cancelled in between. An earlier version
  /// counted that as a second run.
  @Test func itemDequeuedAsCancelledWhileItsOnlyRunEndsWasRunOnce() {
    final class Dequeuer {
      weak var item: DispatchWorkItem?
      deinit { item?.perform() }
    }
    let told = EventCounter("told")
    let queue = DispatchQueue(label: "notices")
    var dequeuer: Dequeuer? = Dequeuer()
    let item = DispatchWorkItem { [dequeuer] in dequeuer?.item?.cancel() }
    dequeuer?.item = item
    dequeuer = nil
    item.notify(queue: queue) { told.increment() }
    item.perform()
    queue.sync {}
    #expect(item.isCancelled)
    #expect(told.value == 1)
  }
}
