// BlockedTasks — tasks that block their thread, which Swift's own pool cannot bear.

import CSystemCalls
import ConcurrencyScenarios
import Glibc
import SignalboxConcurrency
import SignalboxDispatch

let blockedTaskScenarios: [String: AsyncScenario] = [
  "tasks-blocked-until-items-behind-them": {
    let count = integerArgument(0, default: 1000)
    let gates = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    let ended = Tally()
    let begun = nanoseconds()
    let tasks = gates.map { gate in
      Task.detached {
        block(gate)
        ended.increment()
      }
    }
    // The items that release the tasks are submitted after all tasks.
    for gate in gates { DispatchQueue.global().async { gate.signal() } }
    for task in tasks { await task.value }
    report("ended", ended.count)
    report("milliseconds", (nanoseconds() - begun) / 1_000_000)
  },

  "a-blocked-task-slows-nothing": {
    // There are more tasks than processors; they stay blocked until everything else has ended.
    let gate = DispatchSemaphore(value: 0)
    let blocked = Tally()
    let sleepers = (0..<16).map { _ in
      Task.detached {
        blocked.increment()
        block(gate)
        blocked.decrement()
      }
    }
    let ran = Tally()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 {
        group.addTask {
          await Task.yield()
          ran.increment()
        }
      }
    }
    try await Task.sleep(for: .milliseconds(20))
    await MainActor.run { report("mainActor", true) }
    report("ran", ran.count)
    // All tasks have begun, though each blocks a thread.
    while blocked.count < 16 { await Task.yield() }
    report("blocked", blocked.count)
    for _ in sleepers { gate.signal() }
    for sleeper in sleepers { await sleeper.value }
    report("blockedInTheEnd", blocked.count)
  },

  "tasks-block-in-every-way": {
    let ended = Tally()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<120 {
        group.addTask {
          let queue = DispatchQueue(label: "blocked.\(number)")
          switch number % 4 {
          case 0: wait(for: queue) { ended.increment() }
          case 1: syncOnto(queue) { ended.increment() }
          case 2:
            let done = DispatchSemaphore(value: 0)
            Task.detached { done.signal() }
            block(done)
            ended.increment()
          default:
            // A task waits for a task with a semaphore, which every guide warns against.
            let done = DispatchSemaphore(value: 0)
            Task.detached {
              let inner = DispatchSemaphore(value: 0)
              Task.detached { inner.signal() }
              block(inner)
              done.signal()
            }
            block(done)
            ended.increment()
          }
        }
      }
    }
    report("ended", ended.count)
  },

  "an-actor-that-blocks-holds-up-its-own-alone": {
    let gate = DispatchSemaphore(value: 0)
    let blocking = (0..<8).map { _ in Stopper() }
    let stopped = blocking.map { stopper in Task.detached { await stopper.stop(at: gate) } }
    let other = Stopper()
    for _ in 0..<1000 { await other.step() }
    report("steps", await other.steps)
    for _ in blocking { gate.signal() }
    for task in stopped { await task.value }
    report("ended", true)
  },
]

/// Programs whose workers all wait.
let stuckTaskScenarios: [String: ProgramScenario] = [
  "stuck-tasks-are-reported": { way in
    let queue = DispatchSerialQueue(label: "stuck.queue")
    let never = DispatchSemaphore(value: 0)
    let stopper = QueuedStopper(queue)
    let told = Tally()
    way.begin()
    BlockedReport.onStuck { text in
      for line in text.split(separator: "\n") { print("report: \(line)") }
      report("told", told.increment())
      // Code that knows about the report could still do this.
      never.signal()
    }
    way.run {
      let second = await stopper.stop(at: never)
      await second.value
      report("ended", true)
    }
  },

  "a-blocked-task-is-reported": { way in
    let never = DispatchSemaphore(value: 0)
    way.begin()
    signalWhenReported(never)
    way.run {
      await Task.detached(name: "decode \"it\"", priority: .utility) {
        report("number", csc_task_number())
        block(never)
      }.value
      report("ended", true)
    }
  },

  "a-blocked-main-actor-is-reported": { way in
    let never = DispatchSemaphore(value: 0)
    way.begin()
    signalWhenReported(never)
    way.run {
      await MainActor.run { block(never) }
      report("ended", true)
    }
  },
]

/// Prints the report once it knows of a wait for a semaphore, and then ends that wait.
private func signalWhenReported(_ semaphore: DispatchSemaphore) {
  startThread {
    while !BlockedReport.text().contains("semaphore") { usleep(1000) }
    for line in BlockedReport.text().split(separator: "\n") { print("report: \(line)") }
    semaphore.signal()
  }
}

private actor Stopper {
  private(set) var steps = 0
  func stop(at gate: DispatchSemaphore) { block(gate) }
  func step() { steps += 1 }
}

private actor QueuedStopper {
  private let queue: DispatchSerialQueue
  init(_ queue: DispatchSerialQueue) { self.queue = queue }
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
  /// - Returns: A task that queued behind this call while the call was blocked.
  func stop(at gate: DispatchSemaphore) -> Task<Void, Never> {
    let second = Task.detached { await self.step() }
    block(gate)
    return second
  }
  func step() {}
}

/// Blocks, which no task should do and many do.
private func block(_ gate: DispatchSemaphore) { gate.wait() }

private func syncOnto(_ queue: DispatchQueue, _ work: () -> Void) { queue.sync(execute: work) }

private func wait(for queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()
  queue.async(group: group, execute: work)
  group.wait()
}
