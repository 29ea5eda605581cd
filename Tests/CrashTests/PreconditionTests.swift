// `dispatchPrecondition` that does not hold.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("dispatchPrecondition that does not hold traps with the queue's label")
struct PreconditionTests {
  @Test func onQueueOffTheQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.expected")
      dispatchPrecondition(condition: .onQueue(queue))
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "dispatchPrecondition", "org.signalbox.crash.expected")
  }

  @Test func onQueueOnAnotherQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.expected")
      let other = DispatchQueue(label: "org.signalbox.crash.other")
      other.sync { dispatchPrecondition(condition: .onQueue(queue)) }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "dispatchPrecondition", "org.signalbox.crash.expected")
  }

  @Test func notOnQueueOnTheQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.avoided")
      let done = DispatchSemaphore(value: 0)
      queue.async {
        dispatchPrecondition(condition: .notOnQueue(queue))
        done.signal()
      }
      done.wait()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "dispatchPrecondition", "org.signalbox.crash.avoided")
  }

  @Test func notOnQueueOnAQueueThatTargetsIt() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let target = DispatchQueue(label: "org.signalbox.crash.avoided")
      let queue = DispatchQueue(label: "org.signalbox.crash.upper", target: target)
      queue.sync { dispatchPrecondition(condition: .notOnQueue(target)) }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "dispatchPrecondition", "org.signalbox.crash.avoided")
  }

  @Test func onQueueAsBarrierInAPlainItem() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.barrier", attributes: .concurrent)
      queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "dispatchPrecondition", "barrier",
      "org.signalbox.crash.barrier")
  }

  @Test func preconditionsThatHoldAreSilent() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.held", attributes: .concurrent)
      dispatchPrecondition(condition: .notOnQueue(queue))
      queue.sync { dispatchPrecondition(condition: .onQueue(queue)) }
      queue.sync(flags: .barrier) {
        dispatchPrecondition(condition: .onQueueAsBarrier(queue))
        dispatchPrecondition(condition: .onQueue(queue))
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains(Trap.prefix))
  }
}
