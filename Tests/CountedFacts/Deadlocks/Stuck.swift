// Stuck — a pool whose workers all wait; it is reported only if work is queued behind them.

import Glibc
import SignalboxDispatch

package enum StuckScenario: String, CountedScenario {
  case stuckBehindASemaphore = "stuck-behind-a-semaphore"
  case stuckTwice = "stuck-twice"
  case notStuckWithoutPendingItems = "not-stuck-without-pending-items"
  case notStuckWhileATimerIsPending = "not-stuck-while-a-timer-is-pending"
  case notStuckWhileAWaitHasADeadline = "not-stuck-while-a-wait-has-a-deadline"
}

extension StuckScenario: Scenario {
  func run() {
    switch self {
    case .stuckBehindASemaphore:
      let queue = DispatchQueue(label: "stuck.queue")
      let never = DispatchSemaphore(value: 0)
      onStuck(after: 1) {
        // Code that knows about the report could still do this.
        never.signal()
        queue.sync {}
        report("ended", "true")
        exit(EXIT_SUCCESS)
      }
      queue.async { never.wait() }
      queue.async {}
      while true { pause() }
    case .stuckTwice:
      let queue = DispatchQueue(label: "stuck.queue")
      let gate = DispatchSemaphore(value: 0)
      onStuck(after: 2) { exit(EXIT_SUCCESS) }
      onStuckAgain = { gate.signal() }
      for _ in 0..<3 { queue.async { gate.wait() } }
      while true { pause() }
    case .notStuckWithoutPendingItems:
      notStuck { queue, gate in queue.async { gate.wait() } }
    case .notStuckWhileATimerIsPending:
      notStuck { queue, gate in
        // The timer exists before a worker waits. However late this thread continues, a worker that
        // checks the pool finds the timer.
        DispatchQueue.global().asyncAfter(deadline: .now() + 100) {}
        queue.async { gate.wait() }
        queue.async {}
      }
    case .notStuckWhileAWaitHasADeadline:
      notStuck { queue, gate in
        queue.async { _ = gate.wait(timeout: .now() + 100) }
        queue.async {}
      }
    }
  }
}

/// What happens at each report except the last.
nonisolated(unsafe) private var onStuckAgain: @Sendable () -> Void = {}  // SAFETY: set before use.

/// Prints each report, and runs `last` at the report with this number.
private func onStuck(after number: Int, _ last: @escaping @Sendable () -> Void) {
  let told = Tally()
  BlockedReport.onStuck { text in
    for line in text.split(separator: "\n") { print("report: \(line)") }
    report("told", told.increment())
    if told.count == number { last() } else { onStuckAgain() }
  }
}

/// Makes the pool wait, and reports how often it was called stuck in a quarter of a second.
private func notStuck(_ begin: (DispatchQueue, DispatchSemaphore) -> Void) {
  let told = Tally()
  BlockedReport.onStuck { _ in told.increment() }
  let gate = DispatchSemaphore(value: 0)
  begin(DispatchQueue(label: "stuck.queue"), gate)
  usleep(250_000)
  report("told", told.count)
  exit(EXIT_SUCCESS)
}
