// `sync` onto a queue that the caller is running on can never return.

import CountedFacts
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("sync onto the current queue traps with the queue's label")
struct SyncOntoCurrentQueueTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "an item of a serial queue calls sync on that queue", says: "sync",
      "org.signalbox.crash.serial"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.serial")
      let done = DispatchSemaphore(value: 0)
      queue.async {
        queue.sync {}
        done.signal()
      }
      done.wait()
    }
    Misuse(
      "a sync nests a sync on the same serial queue", says: "sync", "org.signalbox.crash.serial"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.serial")
      queue.sync { queue.sync {} }
    }
    Misuse(
      "a sync on another queue nests a sync on the first queue", says: "sync",
      "org.signalbox.crash.outer"
    ) {
      let outer = DispatchQueue(label: "org.signalbox.crash.outer")
      let inner = DispatchQueue(label: "org.signalbox.crash.inner")
      outer.sync { inner.sync { outer.sync {} } }
    }
    Misuse(
      "a sync on a concurrent queue nests a sync on the first queue", says: "sync",
      "org.signalbox.crash.outer"
    ) {
      let outer = DispatchQueue(label: "org.signalbox.crash.outer")
      let readers = DispatchQueue(label: "org.signalbox.crash.readers", attributes: .concurrent)
      outer.sync { readers.sync { outer.sync {} } }
    }
    Misuse(
      "a sync that returns a value nests a sync on the same queue", says: "sync",
      "org.signalbox.crash.value"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.value")
      let value = queue.sync { 1 + queue.sync { 1 } }
      StandardError.print("\(value)")
    }
    Misuse(
      "a sync nests a sync of a work item on the same queue", says: "sync",
      "org.signalbox.crash.item"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.item")
      queue.sync { queue.sync(execute: DispatchWorkItem {}) }
    }
    Misuse(
      "a barrier item calls sync on its own queue", says: "sync", "org.signalbox.crash.isolation"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.isolation", attributes: .concurrent)
      let done = DispatchSemaphore(value: 0)
      queue.async(flags: .barrier) {
        queue.sync {}
        done.signal()
      }
      done.wait()
    }
    Misuse(
      "a barrier sync nests a barrier sync on the same queue", says: "sync",
      "org.signalbox.crash.isolation"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.isolation", attributes: .concurrent)
      queue.sync(flags: .barrier) { queue.sync(flags: .barrier) {} }
    }
    // The barrier and the item wait for each other.
    Misuse(
      "a plain item calls sync with a barrier on its own queue", says: "sync",
      "org.signalbox.crash.readers"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.readers", attributes: .concurrent)
      queue.sync { queue.sync(flags: .barrier) {} }
    }
    Misuse(
      "an item calls sync on the target of its queue", says: "sync", "org.signalbox.crash.target"
    ) {
      let target = DispatchQueue(label: "org.signalbox.crash.target")
      let queue = DispatchQueue(label: "org.signalbox.crash.upper", target: target)
      let done = DispatchSemaphore(value: 0)
      queue.async {
        target.sync {}
        done.signal()
      }
      done.wait()
    }
    Misuse(
      "an item calls sync on a queue that targets its own", says: "sync",
      "org.signalbox.crash.target"
    ) {
      let target = DispatchQueue(label: "org.signalbox.crash.target")
      let queue = DispatchQueue(label: "org.signalbox.crash.upper", target: target)
      target.sync { queue.sync {} }
    }
  }

  @Test(arguments: [
    MainMisuseScenario.syncOntoMainFromAnItemOfMain,
    .syncOntoMainFromTheMainThread,
    .syncOntoMainFromAQueueThatTargetsMain,
  ])
  func ontoMain(scenario: MainMisuseScenario) throws {
    let outcome = try ChildProgram.run(
      scenario, environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(outcome.exit != .code(0))
    #expect(outcome.exit != .code(2))
    Trap.expectMessage(in: outcome.standardError, ["sync", "main queue"])
  }
}
