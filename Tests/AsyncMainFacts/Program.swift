// AsyncMainFacts — a program with an `async` main, run by tests of Swift's concurrency on either
// pool. It starts like `ConcurrencyFacts`, with the way `async-main`; the environment decides
// whose pool it uses.

import CSignalbox
import ConcurrencyScenarios
import Glibc
import SignalboxConcurrency
import SignalboxDispatch
import SignalboxRunLoop
import SignalboxRuntime

@main
struct AsyncMainFacts {
  @MainActor static func main() async throws {
    // Before anything suspends.
    Start.wasOnFirstThread = isOnFirstThread()
    let words = CommandLine.arguments
    let scenarios = [semanticScenarios, firstThreadScenarios, asyncMainScenarios]
    guard words.count > 2, let scenario = scenarios.lazy.compactMap({ $0[words[2]] }).first else {
      fail("usage: AsyncMainFacts async-main SCENARIO [ARGUMENT …]")
    }
    // SIGALRM ends a scenario that hangs.
    alarm(scenarioLimitInSeconds)
    try await scenario()
  }
}

@MainActor private enum Start {
  static var wasOnFirstThread = false
}

private let asyncMainScenarios: [String: AsyncScenario] = [
  "where-an-async-main-is": {
    let place = Place()
    await report("atStart", Start.wasOnFirstThread)
    await place.stay()
    await report("looks", place.looks)
    await report("strays", place.strays)
  },

  "our-main-queue-in-an-async-main": {
    let onFirst: Bool = await withCheckedContinuation { done in
      DispatchQueue.main.async { done.resume(returning: isOnFirstThread()) }
    }
    report("item", onFirst)
    let later: Bool = await withCheckedContinuation { done in
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(10)) {
        done.resume(returning: isOnFirstThread())
      }
    }
    report("later", later)
  },

  "our-main-loop-in-an-async-main": {
    // The main thread was asleep in the main queue's drain when its loop was first requested.
    await Place().stay()
    let block: Bool = await withUnsafeContinuation { done in
      RunLoop.main.perform { done.resume(returning: isOnFirstThread()) }
    }
    report("block", block)
    let timer: Bool = await withUnsafeContinuation { done in
      RunLoop.main.add(
        Timer(timeInterval: 0.005, repeats: false) { _ in
          done.resume(returning: isOnFirstThread())
        }, forMode: .common)
    }
    report("timer", timer)
    await report("main", MainActor.run { isOnFirstThread() })
  },

  "our-main-loop-after-stops-in-an-async-main": {
    let ticks = Recurrence(), ends = Recurrence(), runs = Tally()
    RunLoop.main.add(
      Timer(timeInterval: 0.005, repeats: true) { _ in ticks.occur() }, forMode: .common)
    let observer = CFRunLoopObserverCreateWithHandler(
      kCFAllocatorDefault, CFRunLoopActivity.exit.rawValue, true, 0
    ) { _, _ in
      runs.increment()
      ends.occur()
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), observer, .commonModes)
    // Waits without the main thread, which other work would wake.
    for _ in 1...3 {
      await ticks.next.pass()
      let end = ends.next
      CFRunLoopStop(CFRunLoopGetMain())
      await end.pass()
    }
    report("runs", runs.count)
    await ticks.next.pass()
    report("timer", true)
    let block: Bool = await withUnsafeContinuation { done in
      RunLoop.main.perform { done.resume(returning: isOnFirstThread()) }
    }
    report("block", block)
  },

  "an-async-main-that-throws": {
    try await Task.sleep(for: .milliseconds(2))
    throw CancellationError()
  },

  "adopting-within": {
    report("before", SignalboxExecutors.isAdopted)
    await awaitTheToolchainsDrain()
    for _ in 0..<2 {
      do {
        try adopt()
        report("thrown", false)
      } catch {
        report("thrown", true)
        report("says", "\(error)".split(separator: "\n").joined(separator: " "))
      }
    }
    report("after", SignalboxExecutors.isAdopted)
    // The program continues as before.
    try await Task.sleep(for: .milliseconds(5))
    report("task", await Task.detached { 7 }.value)
    report("main", await MainActor.run { 8 })
  },

  "adopting-on-the-main-actor-within": {
    await awaitTheToolchainsDrain()
    await MainActor.run {
      do {
        try SignalboxExecutors.adopt()
        report("thrown", false)
      } catch {
        report("thrown", true)
        report("says", "\(error)".split(separator: "\n").joined(separator: " "))
      }
    }
    try await Task.sleep(for: .milliseconds(5))
    report("main", await MainActor.run { 8 })
  },
]

/// Whether the first thread is in `sigsuspend(2)`, where the toolchain leaves it.
private func firstThreadSleepsForEver() -> Bool {
  guard case .text(let call) = SmallFile.read("/proc/self/task/\(getpid())/syscall") else {
    return false
  }
  return call.hasPrefix("\(csb_number_of_sigsuspend()) ")
}

/// Waits until the toolchain has left the first thread for ever, unless the program has adopted us.
/// Adoption does not wait for a thread that has lost its processor there for long.
private func awaitTheToolchainsDrain() async {
  while !SignalboxExecutors.isAdopted, !firstThreadSleepsForEver() { await Task.yield() }
}

private func adopt() throws { try SignalboxExecutors.adopt() }
