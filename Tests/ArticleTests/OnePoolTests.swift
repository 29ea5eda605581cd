// OnePoolTests — the code of "One pool".

import SignalboxConcurrency
import SignalboxDispatch
import Testing

// block: OnePool/ledger
actor Ledger {
  let queue = DispatchSerialQueue(label: "com.example.ledger")
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  private(set) var balance = 0

  /// For code that is on the queue already, but in no task.
  nonisolated func creditFromQueue(_ amount: Int) {
    assumeIsolated { $0.balance += amount }
  }
}
// end

@Suite("One pool") struct OnePoolTests {
  private let database = DispatchQueue(label: "com.example.database")
  private func select(_ query: String) throws -> [String] { ["one", "two"] }

  @Test func everyFormOfWaiting() async throws {
    let group = DispatchGroup()
    let ready = AsyncGate()
    let arrived = AsyncNotification()
    DispatchQueue.global().async(group: group) {
      ready.open()
      arrived.postOne()
    }
    // block: OnePool/waiting
    // The value of a closure that a queue runs.
    let rows = try await database.perform { try select("SELECT …") }

    // The end of a group, or of a work item.
    try await group.finished()

    // Not before something has happened.
    try await ready.passed()  // an AsyncGate; ready.open() lets everybody through

    // Until something has changed.
    try await arrived.posted()  // an AsyncNotification; arrived.postOne() wakes one

    // A sleep of which nothing is left when it is cancelled.
    try await Task.sleep(for: .milliseconds(30), clock: .signalbox)
    // end
    #expect(rows.count == 2)
  }

  @Test func oldCodeOnTheQueueAndTheActorShareTheBalance() async {
    let ledger = Ledger()
    ledger.queue.sync { ledger.creditFromQueue(3) }
    #expect(await ledger.balance == 3)
  }
}
