// Adoptions — when a program may adopt the executors, how often, and in which way.

import ConcurrencyScenarios
import Glibc
import SignalboxConcurrency
import SignalboxDispatch

let adoptionScenarios: [String: ProgramScenario] = [
  "jobs-run-on-the-adopted-pool": { way in
    report("before", SignalboxExecutors.isAdopted)
    way.begin()
    report("after", SignalboxExecutors.isAdopted)
    way.run {
      report("task", isOnOurPool())
      await Task.yield()
      report("yielded", isOnOurPool())
      try await Task.sleep(for: .milliseconds(10))
      report("slept", isOnOurPool())
      report(
        "child",
        await withTaskGroup(of: Bool.self) { group in
          group.addTask(priority: .background) { isOnOurPool() }
          return await group.next()!
        })
      report("actor", await Somebody().isOnOurPool())
      await report("main", MainActor.run { isOnFirstThread() })
      report("back", isOnOurPool())
    }
  },

  "adopting-twice-does-no-harm": { way in
    for _ in 0..<3 { way.begin() }
    report("adopted", SignalboxExecutors.isAdopted)
    way.run {
      // Adopting again is also possible while tasks run.
      for _ in 0..<3 { adoptAgain() }
      try await Task.sleep(for: .milliseconds(5))
      await report("main", MainActor.run { isOnFirstThread() })
      report("task", isOnOurPool())
    }
  },

  "adopting-after-tasks-have-run": { way in
    let ran = DispatchSemaphore(value: 0)
    let later = Gate()
    let ended = Tally()
    for _ in 0..<100 {
      Task.detached {
        await Task.yield()
        ran.signal()
      }
    }
    for _ in 0..<100 { ran.wait() }
    // Some tasks are in the middle of something: they sleep, wait, or wait for the main actor.
    for number in 0..<30 {
      Task.detached {
        ran.signal()
        switch number % 3 {
        case 0: try? await Task.sleep(for: .milliseconds(100))
        case 1: await later.pass()
        default: await MainActor.run {}
        }
        ended.increment()
      }
    }
    for _ in 0..<30 { ran.wait() }
    way.begin()
    report("adopted", SignalboxExecutors.isAdopted)
    way.run {
      report("task", isOnOurPool())
      await report("main", MainActor.run { isOnFirstThread() })
      try await Task.sleep(for: .milliseconds(10))
      report("slept", isOnOurPool())
      later.open()
      while ended.count < 30 { try await Task.sleep(for: .milliseconds(5)) }
      report("ended", ended.count)
    }
  },

  "many-threads-adopt-at-once": { way in
    let adopted = Tally()
    for _ in 0..<8 {
      startThread {
        adoptAgain()
        adopted.increment()
      }
    }
    while adopted.count < 8 { usleep(100) }
    report("adopted", SignalboxExecutors.isAdopted)
    way.run { report("task", isOnOurPool()) }
  },

  "adopting-while-the-first-task-begins": { way in
    let begun = Tally()
    startThread {
      begun.increment()
      Task.detached { begun.increment() }
    }
    while begun.count == 0 {}
    way.begin()
    way.run {
      while begun.count < 2 { await Task.yield() }
      report("task", isOnOurPool())
      await report("main", MainActor.run { isOnFirstThread() })
    }
  },

  "adopting-within-a-task": { way in
    // Under our drain this works; under the toolchain's drain the error says why it does not.
    way.run {
      // The drain has begun and has nothing to do.
      await MainActor.run {}
      while !firstThreadSleeps() { await Task.yield() }
      report("thrown", adoptionError() ?? "no")
      report("adopted", SignalboxExecutors.isAdopted)
      try await Task.sleep(for: .milliseconds(5))
      await MainActor.run { report("main", true) }
      report("task", await Task.detached { isOnOurPool() }.value)
    }
  },

  "adopting-while-the-first-thread-computes": { way in
    let adopted = Tally()
    Task.detached {
      report("thrown", adoptionError() ?? "no")
      adopted.increment()
    }
    while adopted.count == 0 {}
    way.run { report("task", isOnOurPool()) }
  },

  "the-environment-adopts": { way in
    report("atStart", SignalboxExecutors.isAdopted)
    way.run { report("task", isOnOurPool()) }
  },
]

private actor Somebody {
  func isOnOurPool() -> Bool { ConcurrencyFacts.isOnOurPool() }
}

private func adoptAgain() {
  do { try SignalboxExecutors.adopt() } catch { fail("not adopted again: \(error)") }
}

private func adoptionError() -> String? {
  do {
    try SignalboxExecutors.adopt()
    return nil
  } catch { return error.description }
}

/// Signalbox names its workers.
func isOnOurPool() -> Bool { threadName().hasPrefix("sb-") }
