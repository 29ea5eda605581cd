// Misuse of work items, iterations, QoS and the main queue's drain.

import SignalboxConcurrency
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("items and iterations that cannot be carried out trap")
struct ItemTests {
  @Test func aNegativeCountOfIterations() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchQueue.concurrentPerform(iterations: -1) { _ in }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "concurrentPerform", "-1")
  }

  @Test func waitingForAnItemThatRanSeveralTimes() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.twice")
      let item = DispatchWorkItem {}
      queue.async(execute: item)
      queue.async(execute: item)
      queue.sync {}
      item.wait()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItem", "wait")
  }

  @Test func waitingTwiceForAnItem() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let item = DispatchWorkItem {}
      DispatchQueue(label: "org.signalbox.crash.once").async(execute: item)
      item.wait()
      item.wait()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItem", "wait")
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

  @Test func runningAnItemAgainForWhichATaskHasWaited() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let item = DispatchWorkItem {}
      item.perform()
      try await item.finished()
      item.perform()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItem", "finished")
  }

  @Test func aNoticeOfAnItemThatRanSeveralTimes() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.twice")
      let item = DispatchWorkItem {}
      item.perform()
      item.perform()
      item.notify(queue: queue) {}
      queue.sync {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "DispatchWorkItem", "notify")
  }

  @Test func aRelativePriorityAboveZero() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let qos = DispatchQoS(qosClass: .utility, relativePriority: 1)
      DispatchQueue(label: "org.signalbox.crash.priority", qos: qos).sync {}
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "priority", "1", "-15")
  }

  @Test func aRelativePriorityBelowTheLeast() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let qos = DispatchQoS(qosClass: .utility, relativePriority: -16)
      DispatchWorkItem(qos: qos) {}.perform()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "priority", "-16", "-15")
  }

  @Test func dispatchMainOffTheMainThread() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      // Whichever thread runs this, it is not the process's first.
      DispatchQueue(label: "org.signalbox.crash.main").async { dispatchMain() }
      try onPlainThread { letRealTimePass(RealTime.wedge) }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "dispatchMain", "another thread than the main")
  }
}
