// Misuse of the workers and of isolation.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite("misuse of a worker or of an isolated value traps with its label")
struct PatternTests {
  @Test func limitBelowOne() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = LimitedWorker(limit: 0, label: "org.signalbox.crash.limited")
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "limit: 0", "org.signalbox.crash.limited", "1 or more")
    let negative = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      _ = LimitedWorker(limit: -3)
      Trap.notReached()
    }
    Trap.expect(negative?.standardErrorContent, says: "limit: -3")
  }

  /// Its block is gone when the next job is enqueued.
  @Test func jobBehindOneThatLostItsDoneBlock() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let queue = DispatchQueue(label: "org.signalbox.crash.target")
      let worker = AsyncSerialWorker(label: "org.signalbox.crash.worker", target: queue)
      let tracker = LeakTracker()
      do {
        let object = tracker.makeObject()
        // The object goes with the block, which nobody keeps.
        worker.enqueueWork { (_: DoneBlock) in object.touch() }
      }
      try? tracker.waitUntilAllAreFreed()
      queue.sync {}
      worker.enqueueWork { $0() }
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "AsyncSerialWorker", "org.signalbox.crash.worker",
      "never start", "call it on every path")
  }

  /// The next job waits when the block goes.
  @Test func doneBlockLostBeforeAWaitingJob() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let worker = AsyncSerialWorker(label: "org.signalbox.crash.worker")
      let kept = Guarded<DoneBlock?>(nil)
      worker.enqueueWork { done in kept.withValue { $0 = done } }
      _ = kept.wait(limit: RealTime.wedge) { $0 != nil }
      worker.enqueueWork { $0() }
      kept.withValue { $0 = nil }
      // The job's own thread may be the last to let go of it.
      DispatchSemaphore(value: 0).wait()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "AsyncSerialWorker", "org.signalbox.crash.worker",
      "never start")
  }

  @Test func everyPermitOfALimitedWorkerLost() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let worker = LimitedWorker(limit: 3, label: "org.signalbox.crash.limited")
      for _ in 0..<3 { worker.enqueueWork { (_: @escaping DoneBlock) in } }
      worker.enqueueWork {}
      // Whoever comes last finds no permit left: the third that returns, or the fourth.
      DispatchSemaphore(value: 0).wait()
      Trap.notReached()
    }
    Trap.expect(
      result?.standardErrorContent, says: "LimitedWorker", "org.signalbox.crash.limited",
      "3 jobs", "never start")
  }

  @Test func readWithinAWrite() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Trap.arm()
      let value = Isolated(0, label: "org.signalbox.crash.isolated")
      value.writeAndWait { number in number = value.read { $0 } }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "sync", "org.signalbox.crash.isolated")
  }

  @Test func objectAddedUnderAnotherIdentifier() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      final class Model: Identifiable, Sendable {
        let id: String
        init(id: String) { self.id = id }
      }
      Trap.arm()
      let map = IdentityMap<Model>()
      _ = map.object(withID: "a") { Model(id: "b") }
      Trap.notReached()
    }
    Trap.expect(result?.standardErrorContent, says: "withID: a", "identifier b")
  }
}
