// SignalSources — signal sources in a process that owns all of its signals.

import CSystemCalls
import Glibc
import SignalboxDispatch

package enum SignalSourceScenario: String, CountedScenario {
  case sourceForAnIgnoredInterrupt = "source-for-an-ignored-interrupt"
  case sourceForATermination = "source-for-a-termination"
  case sourceForEndedChildren = "source-for-ended-children"
  case sourceForIgnoredChildren = "source-for-ignored-children"
  case sourceForBrokenPipes = "source-for-broken-pipes"
  case sourceForFaults = "source-for-faults"
  case sourceForAborts = "source-for-aborts"
  case forkWithSignalSources = "fork-with-signal-sources"
  case signalsThatCannotBeCaught = "signals-that-cannot-be-caught"
  case signalsCaughtTooOften = "signals-caught-too-often"
  case descriptorsOfSignalSources = "descriptors-of-signal-sources"
  case wakeUpsOfIdleSources = "wake-ups-of-idle-sources"
}

extension SignalSourceScenario: Scenario {
  func run() {
    switch self {
    case .sourceForAnIgnoredInterrupt:
      signal(SIGINT, SIG_IGN)
      endAtSignal(SIGINT)
    case .sourceForATermination:
      endAtSignal(SIGTERM)
    case .sourceForEndedChildren:
      let count = 5
      let buried = Tally()
      let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: .main)
      source.setEventHandler {
        var status: Int32 = 0
        while waitpid(-1, &status, WNOHANG) > 0 { buried.add(Int(status >> 8)) }
        if buried.count == count {
          report("buried", buried.count)
          exit(0)
        }
      }
      source.activate()
      for _ in 0..<count where csc_fork() == 0 { _exit(1) }
      dispatchMain()
    // A process that ignores SIGCHLD has no zombies.
    case .sourceForIgnoredChildren:
      signal(SIGCHLD, SIG_IGN)
      let source = makeCountingSource(SIGCHLD)
      let child = csc_fork()
      if child == 0 { _exit(0) }
      source.told.wait()
      report("wait", waitpid(child, nil, 0))
      report("errno", errno == ECHILD ? "ECHILD" : "\(errno)")
      source.source.cancel()
    case .sourceForBrokenPipes:
      signal(SIGPIPE, SIG_IGN)
      let source = makeCountingSource(SIGPIPE)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { fail("pipe: errno \(errno)") }
      close(ends[0])
      let written = write(ends[1], "x", 1)
      report("error", written < 0 && errno == EPIPE ? "EPIPE" : "none")
      source.told.wait()
      report("told", source.count.count)
      source.source.cancel()
    case .sourceForFaults:
      let source = makeCountingSource(SIGSEGV)
      // The source reports a signal that was sent; a fault of the program ends the process.
      raise(SIGSEGV)
      source.told.wait()
      report("told", source.count.count)
      UnsafeMutablePointer<Int>(bitPattern: 64)!.pointee = 1
      report("after", "the fault")
    case .sourceForAborts:
      let source = makeCountingSource(SIGABRT)
      withExtendedLifetime(source) { abort() }
    case .forkWithSignalSources:
      forkWithSources()
    case .signalsThatCannotBeCaught:
      let ended = DispatchSemaphore(value: 0)
      for number in [SIGKILL, SIGSTOP, 32, 33] {
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { fail("called") }
        source.setCancelHandler { ended.signal() }
        source.activate()
        ended.wait()
        report("cancelled\(number)", source.isCancelled)
      }
    case .signalsCaughtTooOften:
      var sources: [any DispatchSourceSignal] = []
      let ended = DispatchSemaphore(value: 0)
      for round in 0..<5 {
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1)
        source.setCancelHandler { ended.signal() }
        source.activate()
        if round < 4 {
          report("cancelled\(round)", source.isCancelled)
        } else {
          ended.wait()
          report("cancelled\(round)", source.isCancelled)
        }
        sources.append(source)
        signal(SIGUSR1) { _ in }
      }
    case .descriptorsOfSignalSources:
      _ = makeCountingSource(SIGUSR1).source.cancel()
      let before = descriptorsAtRest().count
      let ended = DispatchSemaphore(value: 0)
      for round in 0..<200 {
        let number = [SIGUSR1, SIGUSR2, SIGHUP][round % 3]
        let source = makeCountingSource(number)
        source.source.setCancelHandler { ended.signal() }
        raise(number)
        source.told.wait()
        source.source.cancel()
        ended.wait()
      }
      report("more", descriptorsAtRest().count - before)
    case .wakeUpsOfIdleSources:
      let signals = [SIGUSR1, SIGUSR2, SIGHUP].map { makeCountingSource($0) }
      let child = csc_fork()
      if child == 0 { while true { pause() } }
      let ended = DispatchSemaphore(value: 0)
      let process = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
      process.setEventHandler { ended.signal() }
      process.activate()
      for signal in signals {
        raise(signal.number)
        signal.told.wait()
      }
      sleepInKernel(seconds: integerArgument(0, default: 10))
      let before = contextSwitches()
      sleepInKernel(seconds: integerArgument(1, default: 10))
      report("wakeUps", wakeUps(from: before, to: contextSwitches()))
      raise(SIGUSR1)
      signals[0].told.wait()
      kill(child, SIGKILL)
      ended.wait()
      report("child", Int(csc_wait(child)))
      report("told", signals.reduce(0) { $0 + $1.count.count })
      for signal in signals { signal.source.cancel() }
      process.cancel()
    }
  }
}

// MARK: Sources

private struct CountingSource: Sendable {
  let number: Int32
  let source: any DispatchSourceSignal & Sendable
  let count: Tally
  /// Signalled once for each signal.
  let told: DispatchSemaphore
}

private func makeCountingSource(_ number: Int32) -> CountingSource {
  let count = Tally()
  let told = DispatchSemaphore(value: 0)
  let source = DispatchSource.makeSignalSource(signal: number) as! DispatchSource
  source.setEventHandler { [weak source] in
    let data = Int(source?.data ?? 0)
    count.add(data)
    for _ in 0..<data { told.signal() }
  }
  source.activate()
  return CountingSource(number: number, source: source, count: count, told: told)
}

/// A source on the main queue ends the program when the signal arrives.
private func endAtSignal(_ number: Int32) {
  let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
  source.setEventHandler { [weak sourceObject = source as? DispatchSource] in
    report("told", sourceObject?.data ?? 0)
    exit(0)
  }
  source.resume()
  kill(getpid(), number)
  dispatchMain()
}

// MARK: Forks

// SAFETY: a handler counts it on the one thread that raises its signal.
private nonisolated(unsafe) let handled = UnsafeMutablePointer<Int>.allocate(capacity: 1)

/// The child has the handlers that existed before the sources, and may make sources of its own.
/// Signals in the child do not reach the parent.
private func forkWithSources() {
  handled.initialize(to: 0)
  signal(SIGUSR1) { _ in handled.pointee += 1 }
  signal(SIGUSR2, SIG_IGN)
  let parents = [SIGUSR1, SIGUSR2].map { makeCountingSource($0) }
  raise(SIGUSR1)
  parents[0].told.wait()
  reportChild("child") {
    raise(SIGUSR1)
    raise(SIGUSR2)
    if handled.pointee != 2 { _exit(40) }
    let own = makeCountingSource(SIGUSR1)
    for _ in 0..<3 { raise(SIGUSR1) }
    for _ in 0..<3 { own.told.wait() }
    if own.count.count != 3 || handled.pointee != 5 { _exit(41) }
    // The parent's sources do nothing here, and may be cancelled.
    for parent in parents { parent.source.cancel() }
    raise(SIGUSR1)
    own.told.wait()
    if parents[0].count.count != 1 { _exit(42) }
    let ended = DispatchSemaphore(value: 0)
    own.source.setCancelHandler { ended.signal() }
    own.source.cancel()
    ended.wait()
    raise(SIGUSR1)
    if own.count.count != 4 || handled.pointee != 7 { _exit(43) }
  }
  report("told", parents[0].count.count + parents[1].count.count)
  raise(SIGUSR1)
  raise(SIGUSR2)
  for parent in parents { parent.told.wait() }
  report("toldLater", parents[0].count.count + parents[1].count.count)
  report("handled", handled.pointee)
  for parent in parents { parent.source.cancel() }
}
