// TaskService — a task with children, two actors, and the ways in which a task waits for the rest
// of the library.

import SignalboxConcurrency
import SignalboxDispatch

struct TaskService: Service {
  private let ledger = Ledger()
  private let queueLedger = QueueLedger()
  /// Never opens.
  private let gate = AsyncGate()

  func answer(_ request: Request, reply: @escaping Reply) {
    Task { reply(await result(of: request)) }
  }

  private func result(of request: Request) async -> String {
    let sum = await total(of: request)
    guard await isCancelledAtTheGate() else { return "the gate is open" }
    if request.number.isMultiple(of: 3) {
      guard (try? await Task.sleep(nanoseconds: 1_000_000)) != nil else { return "cancelled" }
    }
    let group = DispatchGroup()
    DispatchQueue.global().async(group: group) {}
    guard (try? await group.finished()) != nil else { return "cancelled" }
    let performed = try? await DispatchQueue.global().perform { "\(sum)" }
    return performed ?? "cancelled"
  }

  private func total(of request: Request) async -> UInt64 {
    await withTaskGroup(of: UInt64.self) { group in
      for step in 0..<request.count {
        let amount = request.number &+ UInt64(step)
        group.addTask {
          if step.isMultiple(of: 2) { return await ledger.enter(amount) }
          return await queueLedger.enter(amount)
        }
      }
      var sum: UInt64 = 0
      for await amount in group { sum &+= amount }
      return sum
    }
  }

  /// Whether a task that waits at the gate ends when it is cancelled.
  private func isCancelledAtTheGate() async -> Bool {
    let waiting = Task { try await gate.passed() }
    waiting.cancel()
    if case .failure = await waiting.result { return true }
    return false
  }
}

/// An actor on the pool.
private actor Ledger {
  private var total: UInt64 = 0

  func enter(_ amount: UInt64) -> UInt64 {
    total &+= amount
    return amount
  }
}

/// An actor on a queue of its own.
private actor QueueLedger {
  private let queue = DispatchSerialQueue(label: "soak.ledger")
  private var total: UInt64 = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  func enter(_ amount: UInt64) -> UInt64 {
    total &+= amount
    return amount
  }
}
