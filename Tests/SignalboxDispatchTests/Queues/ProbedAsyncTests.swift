// ProbedAsyncTests — the steps of one `async` and one `sync`, as the probes report them.

@testable import SignalboxDispatch
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Probed steps", .serialized, .guarded) struct ProbedAsyncTests {
  private func steps(
    of queue: DispatchQueue, _ kinds: [EventKind], while body: () throws -> Void
  ) rethrows -> [EventKind] {
    let log = EventLog<EventKind>()
    let address = UInt(bitPattern: queue.address)
    let id = ProbeSubscribers.shared.subscribe(to: kinds) { event in
      if event.object == address { log.append(event.kind) }
    }
    defer { ProbeSubscribers.shared.unsubscribe(id) }
    try body()
    return log.all
  }

  @Test func asyncIsSubmittedStartedAndFinished() {
    let queue = DispatchQueue(label: "probed")
    let kinds: [EventKind] = [.itemSubmitted, .itemStarted, .itemFinished]
    let seen = steps(of: queue, kinds) {
      queue.async {}
      // The queue is serial: when this returns, the item before it has ended.
      queue.sync {}
    }
    #expect(seen == kinds)
  }

  @Test func syncIsEnteredAndLeftThoughItNeverWaits() {
    let queue = DispatchQueue(label: "probed")
    let seen = steps(of: queue, [.syncEntered, .syncLeft, .waitBegan]) { queue.sync {} }
    #expect(seen == [.syncEntered, .syncLeft])
  }

  @Test func fastPathsOfGroupsAndSemaphoresAreSteps() {
    let log = EventLog<EventKind>()
    let group = DispatchGroup()
    let semaphore = DispatchSemaphore(value: 1)
    let mine = [UInt(bitPattern: group.address), UInt(bitPattern: semaphore.address)]
    let kinds: [EventKind] = [
      .groupEntered, .groupLeft, .semaphoreTaken, .semaphoreSignalled,
    ]
    let id = ProbeSubscribers.shared.subscribe(to: kinds) { event in
      if mine.contains(event.object) { log.append(event.kind) }
    }
    defer { ProbeSubscribers.shared.unsubscribe(id) }
    group.enter()
    group.leave()
    semaphore.wait()
    semaphore.signal()
    #expect(log.all == kinds)
  }

  @Test func syncOnABusyQueueWaitsForItsOwner() throws {
    let queue = DispatchQueue(label: "com.example.busy")
    let began = Gate("item began")
    let end = Gate("item may end")
    queue.async {
      began.open()
      end.pass()
    }
    try began.wait()
    let waiter = try PlainThread { queue.sync {} }
    let limit = Uptime.now() + RealTime.wedge
    var line: Substring?
    let wait = "waits in sync, for the queue \"com.example.busy\" (for "
    while line == nil && Uptime.now() < limit {
      line = BlockedReport.text().split(separator: "\n").first { $0.contains(wait) }
    }
    #expect(line?.contains("), held by thread ") == true, "\(line ?? "no such line")")
    end.open()
    try waiter.join()
    #expect(!BlockedReport.text().contains(wait))
  }
}
