// NotificationQueueTests — D6: a notification queue posts in the order of enqueueing.

import SignalboxFoundation
import SignalboxTestSupport
import Testing

@Suite struct NotificationQueueTests {
  @Test func asapIsPostedFirstInFirstOut() throws {
    let posted = EventLog<Int>()
    try onPlainThread {
      let center = NotificationCenter()
      let queue = NotificationQueue(notificationCenter: center)
      let observer = center.addObserver(forName: nil, object: nil, queue: nil) {
        posted.append($0.userInfo?["number"] as? Int ?? -1)
      }
      let keeper = makeSource()
      SignalboxRunLoop.CFRunLoopAddSource(
        SignalboxRunLoop.CFRunLoopGetCurrent(), keeper, .defaultMode)
      for number in 0..<10 {
        queue.enqueue(
          Notification(
            name: .init("number"), object: nil, userInfo: ["number": number]),
          postingStyle: .asap, coalesceMask: .none, forModes: nil)
      }
      _ = SignalboxRunLoop.CFRunLoopRunInMode(.defaultMode, 0, false)
      center.removeObserver(observer)
      SignalboxRunLoop.CFRunLoopSourceInvalidate(keeper)
    }
    // The toolchain posts the newest first.
    #expect(posted.all == Array(0..<10))
  }
}
