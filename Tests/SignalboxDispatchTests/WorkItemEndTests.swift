// WorkItemEndTests — when an item that is cancelled has ended.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Work item's end", .guarded) struct WorkItemEndTests {
  @Test func itemCancelledBeforeItsTimeButPerformedEndsOnce() {
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

  @Test func runUnderWayEndsAnItemThatIsCancelledMeanwhile() throws {
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
}
