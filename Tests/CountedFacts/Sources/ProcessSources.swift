// ProcessSources — process sources: a thousand children, and refused system calls.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDispatch
import Synchronization

package enum ProcessSourceScenario: String, CountedScenario {
  case endsOfChildren = "ends-of-children"
  case processSourceWithoutDescriptors = "process-source-without-descriptors"
  case processSourceWithACallRefused = "process-source-with-a-call-refused"
  case processSourceForAThread = "process-source-for-a-thread"
  case processSourceForSignals = "process-source-for-signals"
  case processSourceForNothing = "process-source-for-nothing"
  case descriptorsOfProcessSources = "descriptors-of-process-sources"
}

extension ProcessSourceScenario: Scenario {
  func run() {
    switch self {
    case .endsOfChildren:
      reportEndsOfChildren(integerArgument(0, default: 1000))
    case .processSourceWithoutDescriptors:
      // The library's own descriptors are open before the limit is set.
      useProcessSource()
      let child = csc_fork()
      if child == 0 { while true { pause() } }
      var limit = rlimit()
      let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      getrlimit(descriptorLimit, &limit)
      let usual = limit.rlim_cur
      // The next descriptor would have the lowest free number.
      let open = Set(descriptorsAtRest())
      limit.rlim_cur = rlim_t((0...).first { !open.contains($0) } ?? 0)
      setrlimit(descriptorLimit, &limit)
      reportRefusal(child, .exit)
      limit.rlim_cur = usual
      setrlimit(descriptorLimit, &limit)
      kill(child, SIGKILL)
      report("child", Int(csc_wait(child)))
    case .processSourceWithACallRefused:
      useProcessSource()
      let error = Int32(integerArgument(0, default: Int(ENOSYS)))
      let child = csc_fork()
      if child == 0 { while true { pause() } }
      let refused = csc_refuse("pidfd_open", error)
      if refused != 0 { fail("seccomp: \(refused)") }
      reportRefusal(child, .exit)
      kill(child, SIGKILL)
      report("child", Int(csc_wait(child)))
    case .processSourceForAThread:
      let number = Atomic<Int32>(0)
      let started = DispatchSemaphore(value: 0)
      startThread {
        number.store(csb_thread_kernel_id(), ordering: .relaxed)
        started.signal()
        while true { pause() }
      }
      started.wait()
      reportRefusal(number.load(ordering: .relaxed), .exit)
    case .processSourceForSignals:
      reportRefusal(getpid(), .signal)
    case .processSourceForNothing:
      reportRefusal(getpid(), [])
    case .descriptorsOfProcessSources:
      useProcessSource()
      let before = descriptorsAtRest().count
      for _ in 0..<50 { useProcessSource() }
      report("more", descriptorsAtRest().count - before)
      // The source has a descriptor while the process lives, and none after it has reported the
      // exit.
      let child = csc_fork()
      if child == 0 { while true { pause() } }
      let told = DispatchSemaphore(value: 0)
      let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
      source.setEventHandler { told.signal() }
      source.activate()
      report("whileItLives", descriptorsAtRest().count - before)
      kill(child, SIGKILL)
      told.wait()
      report("afterItsEnd", descriptorsAtRest().count - before)
      report("child", Int(csc_wait(child)))
      source.cancel()
    }
  }
}

/// Starts children that end with different statuses, some before they are watched, and reaps
/// each one when its exit is reported.
private func reportEndsOfChildren(_ count: Int) {
  useProcessSource()
  let ended = Tally(), right = Tally(), told = Tally()
  let all = DispatchSemaphore(value: 0)
  let queue = DispatchQueue(label: "org.signalbox.facts.ends")
  var sources: [any DispatchSourceProcess] = []
  let before = contextSwitches(that: "\nvoluntary_ctxt_switches:")
  for index in 0..<count {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { fail("pipe: errno \(errno)") }
    let child = csc_fork()
    if child == 0 {
      close(ends[1])
      // Waits until the parent releases it.
      var byte: UInt8 = 0
      _ = read(ends[0], &byte, 1)
      _exit(Int32(index % 251))
    }
    close(ends[0])
    let endsFirst = index % 4 == 0
    if endsFirst { close(ends[1]) }
    let source = DispatchSource.makeProcessSource(
      identifier: child, eventMask: .exit, queue: queue)
    let times = Tally()
    source.setEventHandler {
      if times.increment() > 1 { fail("told twice") }
      told.increment()
      var status: Int32 = 0
      if waitpid(child, &status, WNOHANG) == child { ended.increment() }
      if status == Int32(index % 251) << 8 { right.increment() }
      if told.count == count { all.signal() }
    }
    source.activate()
    if !endsFirst { close(ends[1]) }
    sources.append(source)
  }
  all.wait()
  // Involuntary switches, where a thread loses its processor to a child, depend on the machine.
  let switches = wakeUps(
    from: before, to: contextSwitches(that: "\nvoluntary_ctxt_switches:"))
  report("told", told.count)
  report("ended", ended.count)
  report("right", right.count)
  report("wakeUps", switches)
  report("left", Int(waitpid(-1, nil, WNOHANG)))
  for source in sources { source.cancel() }
}

/// Runs one whole life of a source.
private func useProcessSource() {
  let child = csc_fork()
  if child == 0 { _exit(0) }
  let told = DispatchSemaphore(value: 0), cancelled = DispatchSemaphore(value: 0)
  let source = DispatchSource.makeProcessSource(identifier: child, eventMask: .exit)
  source.setEventHandler { told.signal() }
  source.setCancelHandler { cancelled.signal() }
  source.activate()
  told.wait()
  if csc_wait(child) != 0 { fail("the child failed") }
  source.cancel()
  cancelled.wait()
}

/// Reports the outcome of a source that cannot be made.
private func reportRefusal(_ process: pid_t, _ events: DispatchSource.ProcessEvent) {
  let cancelled = DispatchSemaphore(value: 0)
  let source = DispatchSource.makeProcessSource(identifier: process, eventMask: events)
  source.setEventHandler { fail("called") }
  source.setCancelHandler { cancelled.signal() }
  source.activate()
  cancelled.wait()
  report("cancelled", source.isCancelled)
}
