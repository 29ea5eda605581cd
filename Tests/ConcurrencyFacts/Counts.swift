// Counts — what can be counted: how many compute at one moment, and what a job allocates.

import CCountedAllocations
import ConcurrencyScenarios
import Glibc
import SignalboxDispatch

let countScenarios: [String: AsyncScenario] = [
  "items-and-tasks-computing-together": {
    let computing = Tally()
    let most = Tally()
    let ran = Tally()
    @Sendable func compute() {
      most.raise(to: computing.increment())
      let end = nanoseconds() + 300_000
      while nanoseconds() < end {}
      ran.increment()
      computing.decrement()
    }
    let items = DispatchGroup()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { compute() }
        if number.isMultiple(of: 5) {
          group.addTask {
            compute()
            await Task.yield()
            compute()
          }
        }
        DispatchQueue.global().async(group: items, execute: compute)
      }
    }
    await withCheckedContinuation { done in items.notify(queue: .global()) { done.resume() } }
    report("ran", ran.count)
    report("most", most.count)
    report("threads", threadNumbers().count)
  },

  "allocations-of-a-task": {
    @Sendable func spawnAndAwait(_ count: Int) async {
      for _ in 0..<count { await Task.detached {}.value }
    }
    let relay = Relay()
    @Sendable func call(_ count: Int) async {
      for _ in 0..<count { await relay.step() }
    }
    @Sendable func hop(_ count: Int) async {
      for _ in 0..<count { await MainActor.run {} }
    }
    @Sendable func yield(_ count: Int) async { for _ in 0..<count { await Task.yield() } }
    // Each hop costs two changes of thread, which take long beside other programs.
    for (name, count, work) in [
      ("spawn", 2_000, spawnAndAwait), ("call", 2_000, call), ("hop", 200, hop),
      ("yield", 2_000, yield),
    ] as [(String, Int, @Sendable (Int) async -> Void)] {
      // Takes the best of several runs, to exclude runs that start a thread or grow a table.
      var best = Int.max
      await work(200)
      for _ in 0..<5 {
        let before = Int(cca_count())
        await work(count)
        best = min(best, Int(cca_count()) - before)
      }
      report(name, best)
    }
    report("isCounting", cca_is_counting() != 0)
  },

  "threads-of-a-first-task": {
    // The first task is the one that reports.
    report("threads", threadNumbers().count)
  },
]

/// Programs that end with nothing to do, and one that never ends.
let idleScenarios: [String: ProgramScenario] = [
  // Not idle: a program without SignalboxTrace, for a tool that asks it for a recording.
  "items-without-end": { _ in
    let queue = DispatchQueue(label: "items")
    report("ready", 1)
    while true { queue.sync {} }
  },
  "wake-ups-of-an-idle-process": { way in
    way.begin()
    Task.detached {
      let ran = Tally()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask(priority: number.isMultiple(of: 3) ? .utility : .high) {
            try? await Task.sleep(for: .milliseconds(number % 10))
            await MainActor.run { _ = ran.increment() }
          }
        }
      }
      let cancelled = Task { try await Task.sleep(for: .milliseconds(500)) }
      cancelled.cancel()
      report("ran", ran.count)
      startThread {
        let settle = UInt32(integerArgument(0, default: 10))
        let look = UInt32(integerArgument(1, default: 10))
        let own = threadNumber()
        sleep(settle)
        let before = contextSwitches(except: own)
        sleep(look)
        let after = contextSwitches(except: own)
        report("threads", after.count + 1)
        report("wakeUps", wakeUps(from: before, to: after))
        exit(EXIT_SUCCESS)
      }
    }
    way.drainMain()
  },
]

private actor Relay {
  func step() {}
}
