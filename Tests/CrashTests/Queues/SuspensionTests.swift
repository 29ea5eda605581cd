// `resume`, `activate` and the end of a queue out of balance with `suspend`.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("suspension out of balance traps with the queue's label")
struct SuspensionTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a queue that was never suspended is resumed", says: "resume", "org.signalbox.crash.resumed"
    ) {
      DispatchQueue(label: "org.signalbox.crash.resumed").resume()
    }
    Misuse(
      "a queue is resumed more often than it was suspended", says: "resume",
      "org.signalbox.crash.resumed"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.resumed", attributes: .concurrent)
      for _ in 0..<3 { queue.suspend() }
      for _ in 0..<4 { queue.resume() }
    }
    Misuse("an item resumes its own queue", says: "resume", "org.signalbox.crash.resumed") {
      let queue = DispatchQueue(label: "org.signalbox.crash.resumed")
      queue.sync { queue.resume() }
    }
    Misuse(
      "a queue is suspended more often than it counts", says: "suspended more than",
      "Call resume() once for each", "org.signalbox.crash.suspended"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.suspended")
      for _ in 0..<1 << 16 { queue.suspend() }
    }
    // Only a source takes `resume` for `activate`.
    Misuse(
      "an inactive queue is resumed", says: "resume", "activate", "org.signalbox.crash.inactive"
    ) {
      let queue = DispatchQueue(
        label: "org.signalbox.crash.inactive", attributes: .initiallyInactive)
      queue.resume()
    }
    Misuse(
      "a suspended queue is released", says: "suspended", "resume", "org.signalbox.crash.suspended"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.suspended")
      queue.suspend()
    }
    Misuse(
      "a suspended concurrent queue is released", says: "suspended", "resume",
      "org.signalbox.crash.suspended"
    ) {
      let queue = DispatchQueue(
        label: "org.signalbox.crash.suspended", attributes: .concurrent)
      queue.sync(flags: .barrier) {}
      queue.suspend()
    }
    // The items never run, and do not prevent the report.
    Misuse(
      "a suspended queue with pending items is released", says: "suspended", "resume",
      "org.signalbox.crash.suspended"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.suspended")
      queue.suspend()
      for _ in 0..<3 { queue.async {} }
    }
    Misuse(
      "an inactive queue with a pending item is released", says: "inactive", "activate",
      "org.signalbox.crash.inactive"
    ) {
      let queue = DispatchQueue(
        label: "org.signalbox.crash.inactive", attributes: [.initiallyInactive, .concurrent])
      queue.async {}
    }
    Misuse(
      "an inactive queue is released", says: "inactive", "activate", "org.signalbox.crash.inactive"
    ) {
      _ = DispatchQueue(label: "org.signalbox.crash.inactive", attributes: .initiallyInactive)
    }
    Misuse("an active queue gets a target", says: "target", "org.signalbox.crash.active") {
      let queue = DispatchQueue(label: "org.signalbox.crash.active")
      queue.sync {}
      queue.setTarget(queue: DispatchQueue(label: "org.signalbox.crash.target"))
    }
  }

  /// What looks like a misuse and is none, as Apple documents it.
  @Test func activatingTwiceAndSuspendingAGlobalQueueAreHarmless() async {
    await #expect(processExitsWith: .success) {
      Trap.arm()
      let queue = DispatchQueue(
        label: "org.signalbox.crash.activated", attributes: .initiallyInactive)
      queue.activate()
      queue.activate()
      queue.sync {}
      queue.suspend()
      queue.activate()
      queue.resume()
      queue.sync {}
      DispatchQueue.global().suspend()
      DispatchQueue.global().sync {}
      DispatchQueue.global().resume()
      DispatchQueue.global().resume()
      exit(EXIT_SUCCESS)
    }
  }
}
