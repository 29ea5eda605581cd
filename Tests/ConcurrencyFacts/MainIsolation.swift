// MainIsolation — code on the first thread outside any task, and the main actor's checks in it.

import ConcurrencyScenarios
import Glibc
import SignalboxDispatch

let mainIsolationScenarios: [String: ProgramScenario] = [
  "items-of-the-main-queue-are-the-main-actors": { way in
    way.begin()
    // Runs on the first thread before anything drains.
    report("atStart", MainActor.assumeIsolated { isOnFirstThread() })
    let queue = DispatchQueue(label: "elsewhere")
    DispatchQueue.main.async {
      report("item", MainActor.assumeIsolated { isOnFirstThread() })
      Task {
        report("task", isOnFirstThread())
        try? await Task.sleep(for: .milliseconds(5))
        report("taskLater", isOnFirstThread())
        queue.async {
          DispatchQueue.main.sync {
            report("sync", MainActor.assumeIsolated { isOnFirstThread() })
          }
          let target = DispatchQueue(label: "to.main", target: .main)
          target.async {
            report("target", MainActor.assumeIsolated { isOnFirstThread() })
            exit(EXIT_SUCCESS)
          }
        }
      }
    }
    way.drainMain()
  },

  "the-main-actor-assumed-on-a-queue-traps": { way in
    way.begin()
    DispatchQueue(label: "the.wrong.queue").async {
      MainActor.assumeIsolated { report("reached", true) }
      exit(EXIT_SUCCESS)
    }
    way.drainMain()
  },

  "the-toolchains-main-queue-has-its-turn": { way in
    // Our main queue always has an item, and each takes some time.
    way.begin()
    let ran = Tally(), ticks = Tally(), seen = Tally()
    @Sendable func again() {
      let end = uptime() + 1_000_000
      while uptime() < end {}
      // Ticks of the coarse clock, which may be late, decide the turn.
      let tick = Int(time(of: CLOCK_MONOTONIC_COARSE))
      if tick != seen.count {
        seen.raise(to: tick)
        ticks.increment()
      }
      if ran.increment() == 10 {
        let before = ticks.count
        onToolchainMain {
          report("ticksBefore", ticks.count - before)
          exit(EXIT_SUCCESS)
        }
      }
      DispatchQueue.main.async { again() }
    }
    DispatchQueue.main.async { again() }
    way.drainMain()
  },

  "main-items-and-main-jobs-take-turns": { way in
    // One thread serves both: neither starves, and each keeps its order.
    way.begin()
    let items = Log()
    let jobs = Log()
    for number in 0..<1000 { DispatchQueue.main.async { items.add(number) } }
    way.run {
      for number in 0..<1000 { await MainActor.run { jobs.add(number) } }
      await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
      let expected = (0..<1000).map { "\($0)" }
      report("items", items.all == expected)
      report("jobs", jobs.all == expected)
    }
  },
]

private func uptime() -> UInt64 { time(of: CLOCK_MONOTONIC) }

/// Returns the time in nanoseconds.
private func time(of clock: clockid_t) -> UInt64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
