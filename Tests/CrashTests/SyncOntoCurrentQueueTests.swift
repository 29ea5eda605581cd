// `sync` onto a queue that the caller is running on can never return.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("sync onto the current queue traps with the queue's label")
struct SyncOntoCurrentQueueTests {
  @Test func fromAnItemOfASerialQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.serial")
      let done = DispatchSemaphore(value: 0)
      queue.async {
        queue.sync {}
        done.signal()
      }
      done.wait()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.serial")
  }

  @Test func fromASyncOfASerialQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.serial")
      queue.sync { queue.sync {} }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.serial")
  }

  @Test func throughAnotherQueueInBetween() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let outer = DispatchQueue(label: "org.signalbox.crash.outer")
      let inner = DispatchQueue(label: "org.signalbox.crash.inner")
      outer.sync { inner.sync { outer.sync {} } }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.outer")
  }

  @Test func throughAConcurrentQueueInBetween() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let outer = DispatchQueue(label: "org.signalbox.crash.outer")
      let readers = DispatchQueue(label: "org.signalbox.crash.readers", attributes: .concurrent)
      outer.sync { readers.sync { outer.sync {} } }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.outer")
  }

  @Test func withAResult() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.value")
      let value = queue.sync { 1 + queue.sync { 1 } }
      StandardError.print("\(value)")
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.value")
  }

  @Test func withAWorkItem() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.item")
      queue.sync { queue.sync(execute: DispatchWorkItem {}) }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.item")
  }

  @Test func fromABarrierItemOfAConcurrentQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.isolation", attributes: .concurrent)
      let done = DispatchSemaphore(value: 0)
      queue.async(flags: .barrier) {
        queue.sync {}
        done.signal()
      }
      done.wait()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.isolation")
  }

  @Test func asABarrierFromABarrierSync() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.isolation", attributes: .concurrent)
      queue.sync(flags: .barrier) { queue.sync(flags: .barrier) {} }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.isolation")
  }

  /// The barrier would wait for the item that waits for it.
  @Test func asABarrierFromAPlainItemOfAConcurrentQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.readers", attributes: .concurrent)
      queue.sync { queue.sync(flags: .barrier) {} }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.readers")
  }

  @Test func ontoTheTargetOfTheCurrentQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let target = DispatchQueue(label: "org.signalbox.crash.target")
      let queue = DispatchQueue(label: "org.signalbox.crash.upper", target: target)
      let done = DispatchSemaphore(value: 0)
      queue.async {
        target.sync {}
        done.signal()
      }
      done.wait()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.target")
  }

  @Test func ontoAQueueThatTargetsTheCurrentOne() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let target = DispatchQueue(label: "org.signalbox.crash.target")
      let queue = DispatchQueue(label: "org.signalbox.crash.upper", target: target)
      target.sync { queue.sync {} }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.target")
  }

  @Test(arguments: [
    "sync-onto-main-from-an-item-of-main",
    "sync-onto-main-from-the-main-thread",
    "sync-onto-main-from-a-queue-that-targets-main",
  ])
  func ontoMain(scenario: String) throws {
    let outcome = try ChildProgram("CountedFacts").run(
      [scenario], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit != .code(0))
    #expect(outcome.exit != .code(2))
    Trap.expectMessage(in: outcome.standardError, ["sync", "main queue"])
  }
}
