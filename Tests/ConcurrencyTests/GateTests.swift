// GateTests — `AsyncGate`: tasks wait until it is open.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct GateTests {
  @Test func aGateIsOpenOrClosedAsSet() async throws {
    let gate = AsyncGate(isOpen: true)
    #expect(gate.isOpen)
    try await gate.passed()
    gate.close()
    gate.close()
    #expect(!gate.isOpen)
    gate.open()
    gate.open()
    #expect(gate.isOpen)
    try await gate.passed()
    #expect(!AsyncGate().isOpen)
  }

  /// If their code runs on one serial queue, the order of resumption is visible. On an actor it
  /// is not: the runtime resumes an actor's task on the pool, where two threads may race to the
  /// actor.
  @Test func tasksPassInOrderOfArrival() async {
    let gate = AsyncGate()
    let order = EventLog<Int>()
    let count = 100
    let queue = DispatchSerialQueue(label: "org.signalbox.tests.order")
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<count {
      tasks.append(
        Task(executorPreference: queue) {
          try await gate.passed()
          order.append(number)
        })
      await until { gate.waitingCount == number + 1 }
    }
    for number in stride(from: 0, to: count, by: 3) { tasks[number].cancel() }
    gate.open()
    for task in tasks { _ = await task.result }
    #expect(order.all == (0..<count).filter { $0 % 3 != 0 })
  }

  @Test func closingAtOnceDoesNotHoldBackWaitingTasks() async {
    let gate = AsyncGate()
    let tasks = (0..<20).map { _ in ending { try await gate.passed() } }
    await until { gate.waitingCount == tasks.count }
    gate.open()
    gate.close()
    for task in tasks { #expect(await task.value == .came) }
    let late = ending { try await gate.passed() }
    await until { gate.waitingCount == 1 }
    #expect(!gate.isOpen)
    gate.open()
    #expect(await late.value == .came)
  }

  /// Threads open and close the gate. In the end it is open, and no task is left.
  @Test func noTaskIsLeftAtAnOpenGate() async {
    var random = SeededGenerator.announced()
    for _ in 0..<30 {
      let gate = AsyncGate()
      let tasks = (0..<40).map { _ in ending { try await gate.passed() } }
      let movers = (0..<3).map { _ in
        var random = random.split()
        return Task.detached {
          for _ in 0..<30 {
            if Bool.random(using: &random) { gate.open() } else { gate.close() }
            idle(Int.random(in: 0...100, using: &random))
          }
        }
      }
      for mover in movers { await mover.value }
      gate.open()
      for task in tasks { #expect(await task.value == .came) }
      #expect(gate.waitingCount == 0)
    }
  }

  @Test func aThreadOpensItForATask() async throws {
    let gate = AsyncGate()
    let value = Guarded(0)
    DispatchQueue.global().async {
      value.withValue { $0 = 7 }
      gate.open()
    }
    try await gate.passed()
    #expect(value.current == 7)
  }
}
