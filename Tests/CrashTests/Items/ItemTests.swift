// Misuse of work items, iterations and the main queue's drain.

import SignalboxConcurrency
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("items and iterations that cannot be carried out trap")
struct ItemTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse("concurrentPerform gets a negative count", says: "concurrentPerform", "-1") {
      DispatchQueue.concurrentPerform(iterations: -1) { _ in }
    }
    Misuse("a thread waits for an item that ran twice", says: "DispatchWorkItem", "wait") {
      let queue = DispatchQueue(label: "org.signalbox.crash.twice")
      let item = DispatchWorkItem {}
      queue.async(execute: item)
      queue.async(execute: item)
      queue.sync {}
      item.wait()
    }
    Misuse("a thread waits twice for an item", says: "DispatchWorkItem", "wait") {
      let item = DispatchWorkItem {}
      DispatchQueue(label: "org.signalbox.crash.once").async(execute: item)
      item.wait()
      item.wait()
    }
    Misuse("an item that ran twice gets a notify block", says: "DispatchWorkItem", "notify") {
      let queue = DispatchQueue(label: "org.signalbox.crash.twice")
      let item = DispatchWorkItem {}
      item.perform()
      item.perform()
      item.notify(queue: queue) {}
      queue.sync {}
    }
    Misuse(
      "another thread than the main thread calls dispatchMain", says: "dispatchMain",
      "other than the main"
    ) {
      // Whichever thread runs this, it is not the process's first.
      DispatchQueue(label: "org.signalbox.crash.main").async { dispatchMain() }
      try onPlainThread { letRealTimePass(RealTime.wedge) }
    }
  }

  @Test func aTaskThatWaitsForAnItemThatRanSeveralTimes() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let item = DispatchWorkItem {}
      item.perform()
      item.perform()
      try await item.finished()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItem", "observed by finished")
  }
}
