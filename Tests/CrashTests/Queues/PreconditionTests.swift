// `dispatchPrecondition` that does not hold.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("dispatchPrecondition that does not hold traps with the queue's label")
struct PreconditionTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "onQueue is false outside every queue", says: "dispatchPrecondition",
      "org.signalbox.crash.expected"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.expected")
      dispatchPrecondition(condition: .onQueue(queue))
    }
    Misuse(
      "onQueue is false on another queue", says: "dispatchPrecondition",
      "org.signalbox.crash.expected"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.expected")
      let other = DispatchQueue(label: "org.signalbox.crash.other")
      other.sync { dispatchPrecondition(condition: .onQueue(queue)) }
    }
    Misuse(
      "notOnQueue is false on the queue", says: "dispatchPrecondition",
      "org.signalbox.crash.avoided"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.avoided")
      let done = DispatchSemaphore(value: 0)
      queue.async {
        dispatchPrecondition(condition: .notOnQueue(queue))
        done.signal()
      }
      done.wait()
    }
    Misuse(
      "notOnQueue is false on a queue that targets it", says: "dispatchPrecondition",
      "org.signalbox.crash.avoided"
    ) {
      let target = DispatchQueue(label: "org.signalbox.crash.avoided")
      let queue = DispatchQueue(label: "org.signalbox.crash.upper", target: target)
      queue.sync { dispatchPrecondition(condition: .notOnQueue(target)) }
    }
    Misuse(
      "onQueueAsBarrier is false in a plain item", says: "dispatchPrecondition", "barrier",
      "org.signalbox.crash.barrier"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.barrier", attributes: .concurrent)
      queue.sync { dispatchPrecondition(condition: .onQueueAsBarrier(queue)) }
    }
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
