// `resume`, `activate` and the end of a queue out of balance with `suspend`.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("suspension out of balance traps with the queue's label")
struct SuspensionTests {
  @Test func resumeOfAQueueThatWasNeverSuspended() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      DispatchQueue(label: "org.signalbox.crash.resumed").resume()
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "resume", "org.signalbox.crash.resumed")
  }

  @Test func resumeOnceMoreThanSuspended() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.resumed", attributes: .concurrent)
      for _ in 0..<3 { queue.suspend() }
      for _ in 0..<4 { queue.resume() }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "resume", "org.signalbox.crash.resumed")
  }

  @Test func resumeWithinAnItem() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.resumed")
      queue.sync { queue.resume() }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "resume", "org.signalbox.crash.resumed")
  }

  @Test func moreSuspensionsThanAQueueCounts() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.suspended")
      for _ in 0..<1 << 16 { queue.suspend() }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "suspended more than", "Call resume() once for each",
      "org.signalbox.crash.suspended")
  }

  /// Only a source takes `resume` for `activate`.
  @Test func resumeOfAnInactiveQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(
        label: "org.signalbox.crash.inactive", attributes: .initiallyInactive)
      queue.resume()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "resume", "activate", "org.signalbox.crash.inactive")
  }

  @Test func releaseOfASuspendedQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        let queue = DispatchQueue(label: "org.signalbox.crash.suspended")
        queue.suspend()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "suspended", "resume", "org.signalbox.crash.suspended")
  }

  @Test func releaseOfASuspendedConcurrentQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        let queue = DispatchQueue(
          label: "org.signalbox.crash.suspended", attributes: .concurrent)
        queue.sync(flags: .barrier) {}
        queue.suspend()
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "suspended", "resume", "org.signalbox.crash.suspended")
  }

  /// Its items would never run; they do not keep it from being reported.
  @Test func releaseOfASuspendedQueueWithPendingItems() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        let queue = DispatchQueue(label: "org.signalbox.crash.suspended")
        queue.suspend()
        for _ in 0..<3 { queue.async {} }
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "suspended", "resume", "org.signalbox.crash.suspended")
  }

  @Test func releaseOfAnInactiveQueueWithPendingItems() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        let queue = DispatchQueue(
          label: "org.signalbox.crash.inactive", attributes: [.initiallyInactive, .concurrent])
        queue.async {}
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "inactive", "activate", "org.signalbox.crash.inactive")
  }

  @Test func releaseOfAnInactiveQueue() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      do {
        _ = DispatchQueue(label: "org.signalbox.crash.inactive", attributes: .initiallyInactive)
      }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "inactive", "activate", "org.signalbox.crash.inactive")
  }

  @Test func targetOfAQueueThatIsActive() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.active")
      queue.sync {}
      queue.setTarget(queue: DispatchQueue(label: "org.signalbox.crash.target"))
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "target", "org.signalbox.crash.active")
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
