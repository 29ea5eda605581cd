// Misuse of the workers and of isolation.

import SignalboxDispatch
import SignalboxPatterns
import SignalboxTestSupport
import Testing

@Suite("misuse of a worker or of an isolated value traps with its label")
struct PatternTests: MisuseSuite {
  @Test(arguments: misuses) func isReported(_ misuse: Misuse) async { await misuse.expect() }

  static var misuses: [Misuse] {
    Misuse(
      "a limited worker gets a limit of 0", says: "limit: 0", "org.signalbox.crash.limited",
      "1 or more"
    ) {
      _ = LimitedWorker(limit: 0, label: "org.signalbox.crash.limited")
    }
    Misuse("a limited worker gets a negative limit", says: "limit: -3") {
      _ = LimitedWorker(limit: -3)
    }
    Misuse(
      "a job is enqueued behind one that lost its done block", says: "AsyncSerialWorker",
      "org.signalbox.crash.worker", "never start", "Call the done block on every path"
    ) {
      let queue = DispatchQueue(label: "org.signalbox.crash.target")
      let worker = AsyncSerialWorker(label: "org.signalbox.crash.worker", target: queue)
      let tracker = LeakTracker()
      do {
        let object = tracker.makeObject()
        // The object goes with the block, which nothing keeps.
        worker.enqueueWork { (_: DoneBlock) in object.touch() }
      }
      try? tracker.waitUntilAllAreFreed()
      queue.sync {}
      worker.enqueueWork { $0() }
    }
    // The next job waits when the block goes.
    Misuse(
      "a job loses its done block before a waiting job", says: "AsyncSerialWorker",
      "org.signalbox.crash.worker", "never start"
    ) {
      let worker = AsyncSerialWorker(label: "org.signalbox.crash.worker")
      let kept = Guarded<DoneBlock?>(nil)
      worker.enqueueWork { done in kept.withValue { $0 = done } }
      _ = kept.wait(limit: RealTime.wedge) { $0 != nil }
      worker.enqueueWork { $0() }
      kept.withValue { $0 = nil }
      // The job's own thread may be the last to release it.
      DispatchSemaphore(value: 0).wait()
    }
    Misuse(
      "a limited worker loses every permit", says: "LimitedWorker", "org.signalbox.crash.limited",
      "3 jobs", "never start"
    ) {
      let worker = LimitedWorker(limit: 3, label: "org.signalbox.crash.limited")
      for _ in 0..<3 { worker.enqueueWork { (_: @escaping DoneBlock) in } }
      worker.enqueueWork {}
      // The last job finds no permit left: the third that returns, or the fourth.
      DispatchSemaphore(value: 0).wait()
    }
    Misuse("a write reads its own value", says: "sync", "org.signalbox.crash.isolated") {
      let value = Isolated(0, label: "org.signalbox.crash.isolated")
      value.writeAndWait { number in number = value.read { $0 } }
    }
    Misuse("an object is added under another identifier", says: "withID: a", "identifier b") {
      final class Model: Identifiable, Sendable {
        let id: String
        init(id: String) { self.id = id }
      }
      let map = IdentityMap<Model>()
      _ = map.object(withID: "a") { Model(id: "b") }
    }
  }
}
