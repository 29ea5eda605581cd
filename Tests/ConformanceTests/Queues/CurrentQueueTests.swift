// CurrentQueueTests — the queue that code runs on, and its label.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct CurrentQueueTests {
  @Test func withinAnItemAndWithinSyncItIsTheQueue() throws {
    try withEvery("queue", in: QueueKind.allCases) { kind in
      let queue = kind.makeQueue()
      try withEvery("use", in: QueueUse.allCases) { use in
        let found = try use.run(on: queue) { DispatchQueue.current }
        #expect(found === queue)
      }
      try withEvery("use", in: QueueUse.allCases) { use in
        let found = try use.run(on: queue) { DispatchQueue.currentLabel }
        #expect(found == queue.label)
      }
      try withEvery("use", in: QueueUse.allCases) { use in
        let found = try use.run(on: queue) { String(cString: __dispatch_queue_get_label(nil)) }
        #expect(found == queue.label)
      }
    }
  }

  /// The API is deprecated, so the test is deprecated too.
  @available(*, deprecated)
  @Test func theDeprecatedFunctionAlwaysReturnsAQueue() throws {
    let queue = DispatchQueue(label: "test.old")
    #expect(queue.sync { dispatch_get_current_queue() } === queue)
    #expect(try onPlainThread { dispatch_get_current_queue() } === DispatchQueue.global())
  }

  @Test func withinNestedSyncItIsTheInnermostOne() {
    let outer = DispatchQueue(label: "test.outer")
    let inner = DispatchQueue(label: "test.inner")
    outer.sync {
      inner.sync { #expect(DispatchQueue.current === inner) }
      #expect(DispatchQueue.current === outer)
    }
  }

  @Test func outsideOfQueuesThereIsNoCurrentQueue() throws {
    let found = try onPlainThread {
      (
        DispatchQueue.current, DispatchQueue.currentLabel,
        String(cString: __dispatch_queue_get_label(nil))
      )
    }
    #expect(found.0 == nil && found.1 == nil)
    #expect(found.2 == DispatchQueue.global().label)
  }

  @Test func afterSyncThereIsNoCurrentQueueAgain() throws {
    let after = try onPlainThread { () -> DispatchQueue? in
      DispatchQueue(label: "test.queue").sync {}
      return DispatchQueue.current
    }
    #expect(after == nil)
  }

  @Test func theLabelInCIsTheSameForAsLongAsTheQueueLives() throws {
    for label in ["", "test.label", "ünïcödé 🚦"] {
      let queue = DispatchQueue(label: label)
      let first = __dispatch_queue_get_label(queue)
      #expect(String(cString: first) == label)
      let strays = EventCounter("other addresses")
      let address = UInt(bitPattern: first)
      try runThreads(4) { _ in
        if UInt(bitPattern: __dispatch_queue_get_label(queue)) != address { strays.increment() }
      }
      #expect(strays.value == 0)
    }
    #expect(String(cString: __dispatch_queue_get_label(.main)) == "com.apple.main-thread")
  }
}
