// Watched — processes whose numbers are read from outside.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime
import Synchronization

package enum WatchedScenario: String, CountedScenario {
  /// Queues with labels that could confuse a reader, each with three items behind it and two in it.
  case watchedLabels = "watched-labels"
  /// Timers that are far away, and pipes to which nobody writes; some of both are cancelled.
  case watchedTimers = "watched-timers"
  /// Queues that are always busy, until SIGUSR1. Then the process prints what it has done, and is idle.
  case watchedLoad = "watched-load"
  /// Like `watchedLoad`, with queues that come and go, and with counts in the file that is the argument. It ends
  /// its work when it gets SIGUSR1.
  case watchedCounted = "watched-counted"
  /// Queues, a timer and a descriptor that were used, and nothing to do.
  case watchedIdle = "watched-idle"
  /// The same until SIGUSR1; then it ends.
  case watchedEnd = "watched-end"
  /// The same. At SIGUSR1 it forks; the child says what it records, and then runs items as well.
  case watchedFork = "watched-fork"
}

extension WatchedScenario: Scenario {
  package static let labels = [
    "plain", "a \"quoted\" label", "two\nlines", "back\\slash", "\u{1B}[2J\u{1B}]0;title\u{7}",
    "tab\tand\rreturn", "{x=\"1\"} 7", "",
  ]

  func run() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    // Before any thread is started, so that all inherit it.
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var caught: Int32 = 0
    switch self {
    case .watchedLabels:
      let queues = WatchedScenario.labels.map { DispatchQueue(label: $0) }
      for queue in queues {
        let group = DispatchGroup()
        for _ in 0..<3 { queue.async(group: group) {} }
        group.wait()
        queue.suspend()
        for _ in 0..<2 { queue.async {} }
      }
      report("ready", 1)
      withExtendedLifetime(queues) { while true { pause() } }
    case .watchedTimers: watchedTimers()
    case .watchedIdle: watchedIdle()
    case .watchedCounted:
      let counts = SharedCounts(file: arguments[2])
      let load = CountedLoad(counts)
      load.begin()
      report("ready", 1)
      sigwait(&signals, &caught)
      load.end()
      report("over", 1)
      withExtendedLifetime(load) { while true { pause() } }
    case .watchedLoad, .watchedEnd:
      let load = Load()
      load.begin()
      report("ready", 1)
      sigwait(&signals, &caught)
      if self == .watchedEnd { return }
      load.end()
      report("items", load.items.count)
      report("syncs", load.syncs.count)
      withExtendedLifetime(load) { while true { pause() } }
    case .watchedFork:
      let load = Load()
      load.begin()
      report("ready", 1)
      sigwait(&signals, &caught)
      if csc_fork() == 0 {
        let queue = DispatchQueue(label: "load.child")
        queue.sync {}
        report("mask", csb_probe_word_load())
        report("child", getpid())
        while true {
          let group = DispatchGroup()
          queue.async(group: group) {}
          group.wait()
        }
      }
      withExtendedLifetime(load) { while true { pause() } }
    }
  }
}

extension WatchedScenario {
  private func watchedIdle() {
    let queue = DispatchQueue(label: "watched.idle")
    let shared = DispatchQueue(label: "watched.idle.shared", attributes: .concurrent)
    let group = DispatchGroup()
    for _ in 0..<100 {
      queue.async(group: group) {}
      shared.async(group: group) {}
    }
    group.enter()
    queue.asyncAfter(deadline: .now() + .milliseconds(1)) { group.leave() }
    let signal = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: queue)
    signal.activate()
    group.wait()
    queue.sync {}
    report("ready", 1)
    withExtendedLifetime((queue, shared, signal)) { while true { pause() } }
  }

  private func watchedTimers() {
    let queue = DispatchQueue(label: "watched.sources")
    let cancelled = DispatchGroup()
    let timers = (0..<9).map { _ in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + 10_000)
      timer.activate()
      return timer
    }
    let readers = (0..<5).map { _ in
      var ends: (Int32, Int32) = (0, 0)
      withUnsafeMutableBytes(of: &ends) { raw in
        // SAFETY: two descriptors.
        _ = pipe(raw.baseAddress!.assumingMemoryBound(to: Int32.self))
      }
      let reader = DispatchSource.makeReadSource(fileDescriptor: ends.0, queue: queue)
      reader.activate()
      return reader
    }
    queue.sync {}
    for index in 0..<2 {
      cancelled.enter()
      timers[index].setCancelHandler { cancelled.leave() }
      timers[index].cancel()
      cancelled.enter()
      readers[index].setCancelHandler { cancelled.leave() }
      readers[index].cancel()
    }
    cancelled.wait()
    let metrics = SignalboxMetrics.gathered()
    report("armed", metrics.timers.armed)
    report("watched", metrics.watchedDescriptors)
    report("ready", 1)
    withExtendedLifetime((timers, readers)) { while true { pause() } }
  }
}

/// Queues that submit to each other, and a thread that calls `sync`.
private final class Load: Sendable {
  private let queues = (0..<4).map { DispatchQueue(label: "load.\($0)") }
  private let group = DispatchGroup()
  private let isOver = Relaxed(false)
  let items = Tally()
  let syncs = Tally()

  func begin() {
    for index in queues.indices { hop(to: index) }
    group.enter()
    let caller = DispatchQueue(label: "load.caller")
    items.increment()
    caller.async { [self] in
      while !isOver.load() {
        queues[0].sync {}
        syncs.increment()
      }
      group.leave()
    }
  }

  /// Runs an item that submits the next one.
  private func hop(to index: Int) {
    items.increment()
    queues[index].async(group: group) { [self] in
      if !isOver.load() { hop(to: (index + 1) % queues.count) }
    }
  }

  func end() {
    isOver.store(true)
    group.wait()
  }
}
