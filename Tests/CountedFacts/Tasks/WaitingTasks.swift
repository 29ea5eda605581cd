// WaitingTasks — the cost of waiting tasks: threads, and memory that remains.

import Glibc
import SignalboxConcurrency
import SignalboxRuntime

package enum WaitingTaskScenario: String, CountedScenario {
  case threadsOfWaitingTasks = "threads-of-waiting-tasks"
  case memoryOfWaitsGivenUp = "memory-of-waits-given-up"
  case sleepsCancelled = "sleeps-cancelled"
  case sleepsOfTheLanguageCancelled = "sleeps-of-the-language-cancelled"
}

extension WaitingTaskScenario: Scenario {
  func run() {
    switch self {
    case .threadsOfWaitingTasks:
      let count = integerArgument(0, default: 2000)
      for form in waitingForms() {
        // The concurrency runtime's own threads exist, and ours.
        let warm = Waits(8, form.wait)
        warm.waitUntilBegun()
        warm.cancel()
        let before = threadNumbers().count
        let waits = Waits(count, form.wait)
        waits.waitUntilBegun()
        report("\(form.name)ThreadsMore", threadNumbers().count - before)
        report("\(form.name)Ended", waits.ended)
        waits.cancel()
        report("\(form.name)Cancelled", waits.cancelled)
      }
    case .memoryOfWaitsGivenUp:
      let count = integerArgument(0, default: 1_000_000)
      for form in waitingForms() where form.name != "item" {
        giveUp(1000, form.wait)
        let before = bytesInUse()
        let begun = milliseconds()
        giveUp(count, form.wait)
        report("\(form.name)Nanoseconds", (milliseconds() - begun) * 1e6 / Double(count))
        report("\(form.name)BytesMore", bytesInUse() - before)
      }
    case .sleepsCancelled:
      cancelSleeps { try await Task.sleep(for: days, clock: .signalbox) }
    case .sleepsOfTheLanguageCancelled:
      cancelSleeps { try await Task.sleep(for: days) }
    }
  }
}

private let days = Duration.seconds(86400)

private struct WaitingForm {
  let name: String
  let wait: @Sendable () async throws -> Void
}

/// The objects live as long as the process, and the awaited events never occur.
private func waitingForms() -> [WaitingForm] {
  let group = DispatchGroup()
  _ = Unmanaged.passRetained(group)  // SAFETY: never released, as it is never left.
  group.enter()
  // SAFETY: a work item may be used from any thread; its type does not say so.
  nonisolated(unsafe) let workItem = DispatchWorkItem {}
  let gate = AsyncGate()
  let notification = AsyncNotification()
  let queue = DispatchQueue(label: "org.signalbox.facts.suspended")
  _ = Unmanaged.passRetained(queue)  // SAFETY: never released, as it is never resumed.
  queue.suspend()
  return [
    WaitingForm(name: "group") { try await group.finished() },
    WaitingForm(name: "workItem") { try await workItem.finished() },
    WaitingForm(name: "gate") { try await gate.passed() },
    WaitingForm(name: "notification") { try await notification.posted() },
    WaitingForm(name: "sleep") { try await Task.sleep(for: days, clock: .signalbox) },
    WaitingForm(name: "item") { try await queue.perform {} },
  ]
}

/// Tasks that wait until they are cancelled.
private final class Waits: Sendable {
  private let begun = DispatchGroup()
  private let over = DispatchGroup()
  private let ends = Tally()
  private let cancellations = Tally()
  private let tasks: [Task<Void, Never>]

  init(_ count: Int, _ wait: @escaping @Sendable () async throws -> Void) {
    let (begun, over, ends, cancellations) = (begun, over, ends, cancellations)
    tasks = (0..<count).map { _ in
      begun.enter()
      over.enter()
      return Task {
        begun.leave()
        do {
          try await wait()
        } catch is CancellationError {
          cancellations.increment()
        } catch { fail("\(error)") }
        ends.increment()
        over.leave()
      }
    }
  }

  var ended: Int { ends.count }
  var cancelled: Int { cancellations.count }

  /// Returns when each task waits or will wait in a moment.
  func waitUntilBegun() { begun.wait() }

  func cancel() {
    for task in tasks { task.cancel() }
    over.wait()
  }
}

/// One task waits `count` times, and is cancelled each time.
private func giveUp(_ count: Int, _ wait: @escaping @Sendable () async throws -> Void) {
  let over = DispatchSemaphore(value: 0)
  Task {
    for _ in 0..<count {
      let one = Task { try? await wait() }
      // Sometimes the cancellation comes before the wait, sometimes during it.
      if Bool.random() { await Task.yield() }
      one.cancel()
      await one.value
    }
    over.signal()
  }
  over.wait()
}

/// Cancels many outstanding sleeps at once. Reports the bytes of each, the time until all have
/// ended, and the memory left then.
private func cancelSleeps(_ sleep: @escaping @Sendable () async throws -> Void) {
  let count = integerArgument(0, default: 100_000)
  Waits(1000, sleep).cancel()
  let before = bytesInUse()
  do {
    let began = milliseconds()
    let waits = Waits(count, sleep)
    waits.waitUntilBegun()
    report("millisecondsToBegin", milliseconds() - began)
    report("bytesEach", Double(bytesInUse() - before) / Double(count))
    let begun = milliseconds()
    waits.cancel()
    report("millisecondsToCancel", milliseconds() - begun)
    report("cancelled", waits.cancelled)
  }
  report("bytesLeftEach", Double(bytesInUse() - before) / Double(count))
  report("pendingTimers", Engine.current.driver.pendingCount)
}
