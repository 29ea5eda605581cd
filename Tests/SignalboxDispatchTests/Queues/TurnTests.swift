// TurnTests — a queue that always has items does not block other work forever.

import SignalboxDispatch
import SignalboxTestSupport
import Synchronization
import Testing

@Suite("Turns", .guarded) struct TurnTests {
  private final class Feed: Sendable {
    let queue: DispatchQueue
    let stop = Atomic<Bool>(false)
    let ended = Gate("feed ended")

    init(_ queue: DispatchQueue) { self.queue = queue }

    /// An item that submits itself again until it is asked to stop.
    func run() {
      if stop.load(ordering: .acquiring) { return ended.open() }
      queue.async { self.run() }
    }
  }

  @Test func itemInTheSlotOfAWorkerRunsThoughItsQueueIsFedWithoutEnd() throws {
    let feed = Feed(DispatchQueue(label: "fed"))
    let other = DispatchQueue(label: "other")
    feed.queue.async {
      other.async { feed.stop.store(true, ordering: .releasing) }
      feed.run()
    }
    try feed.ended.wait()
  }

  @Test func itemOfTheTargetRunsThoughAQueueAboveItIsFedWithoutEnd() throws {
    let target = DispatchQueue(label: "target")
    let feed = Feed(DispatchQueue(label: "fed", target: target))
    feed.queue.async {
      target.async { feed.stop.store(true, ordering: .releasing) }
      feed.run()
    }
    try feed.ended.wait()
  }

  @Test func eachQueueIsServedThoughAllWorkersHaveFedOnes() throws {
    let feeds = (0..<8).map { Feed(DispatchQueue(label: "fed \($0)")) }
    for feed in feeds { feed.queue.async { feed.run() } }
    let ran = Gate("late item ran")
    DispatchQueue(label: "late").async { ran.open() }
    try ran.wait()
    for feed in feeds { feed.stop.store(true, ordering: .releasing) }
    for feed in feeds { try feed.ended.wait() }
  }
}
