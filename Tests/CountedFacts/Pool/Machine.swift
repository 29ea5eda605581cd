// Machine — how a process adapts to its machine: the width of its pool, signals on its threads,
// refused system calls, and the process's end.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxRuntime

package enum MachineScenario: String, CountedScenario {
  case width = "width"
  case widthInATree = "width-in-a-tree"
  case widthInAGroup = "width-in-a-group"
  case widthOnOneProcessor = "width-on-one-processor"
  case widthAfterAChange = "width-after-a-change"
  case poolAfterAChange = "pool-after-a-change"
  case signalMaskOfAWorker = "signal-mask-of-a-worker"
  case sigtermWhileWorkersIdle = "sigterm-while-workers-idle"
  case handlerOfTheProgram = "handler-of-the-program"
  case namesOfThreads = "names-of-threads"
  case spawnFromAnItem = "spawn-from-an-item"
  case spawned = "spawned"
  case refusedCall = "refused-call"
  case threadsRefused = "threads-refused"
  case exitFromAnItem = "exit-from-an-item"
  case exitFromMain = "exit-from-main"
  case secondCopy = "second-copy"
}

extension MachineScenario: Scenario {
  func run() {
    switch self {
    case .width:
      report("width", EngineSettings.machineWidth.last)
      report("ceiling", EngineSettings.ceiling)
    case .widthInATree:
      // Reads the tree three times; each oddity is reported once.
      let machine = MachineWidth(fixed: nil, root: CommandLine.arguments[2]) { 64 }
      for turn in 1...2 {
        machine.current(at: Clock.coarseUptime + 2 * UInt64(turn) * MachineWidth.period)
      }
      report("width", machine.last)
    case .widthInAGroup:
      // Joins a control group that the test has made.
      guard let file = fopen(CommandLine.arguments[2] + "/cgroup.procs", "w") else {
        fail("cgroup.procs: \(errno)")
      }
      if fputs("\(getpid())\n", file) < 0 || fclose(file) != 0 { fail("cgroup.procs: \(errno)") }
      report("width", EngineSettings.machineWidth.last)
      report("together", mostTogether())
    case .widthOnOneProcessor:
      check(csc_use_one_processor(), "sched_setaffinity")
      report("width", EngineSettings.machineWidth.last)
    case .widthAfterAChange:
      let begun = Clock.coarseUptime
      let machine = EngineSettings.machineWidth
      report("before", machine.last)
      check(csc_use_one_processor(), "sched_setaffinity")
      // By its own clock, less than a second later, however long it took.
      report("soon", machine.current(at: begun))
      report("later", machine.current(at: Clock.coarseUptime + MachineWidth.period))
    case .poolAfterAChange:
      report("before", mostTogether(expected: min(2, processors)))
      check(csc_use_one_processor(), "sched_setaffinity")
      // A reading is valid for a second.
      sleepInKernel(seconds: 2)
      // The next thread that wakes a worker applies the change.
      while Engine.current.pool.width > 1 {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { done.signal() }
        done.wait()
        awaitRest()
      }
      report("after", mostTogether())
    // MARK: Signals
    case .signalMaskOfAWorker:
      // A program that takes SIGUSR2 with sigwait blocks it before it starts anything.
      changeMask(SIG_BLOCK, SIGUSR2)
      report("starter", csc_blocked_signals())
      let done = DispatchSemaphore(value: 0)
      DispatchQueue.global().async {
        report("worker", csc_blocked_signals())
        done.signal()
      }
      done.wait()
    case .sigtermWhileWorkersIdle:
      useSomeWorkers()
      // Only the workers can take the signal.
      changeMask(SIG_BLOCK, SIGTERM)
      kill(getpid(), SIGTERM)
      while true { pause() }
    case .handlerOfTheProgram:
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { _ in
        // SAFETY: the handler only writes eight bytes to a pipe.
        var note: UInt64 = 1
        _ = write(handlerPipe.writing, &note, 8)
      }
      sigaction(SIGUSR1, &action, nil)
      _ = handlerPipe
      useSomeWorkers()
      changeMask(SIG_BLOCK, SIGUSR1)
      kill(getpid(), SIGUSR1)
      var note: UInt64 = 0
      while read(handlerPipe.reading, &note, 8) < 0 {}
      report("handled", note)
      useSomeWorkers()
    case .namesOfThreads:
      let first = workerNames()
      useSomeWorkers()
      let names = workerNames()
      useSomeWorkers()
      report("before", first.count)
      report("names", names.values.sorted().joined(separator: ","))
      report("distinct", Set(names.values).count == names.count)
      // A thread that still exists has kept its name.
      let later = workerNames()
      report("stable", names.allSatisfy { later[$0.key] == nil || later[$0.key] == $0.value })
    case .spawnFromAnItem:
      let done = DispatchSemaphore(value: 0)
      report("nice", getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
      report("mask", csc_blocked_signals())
      DispatchQueue.global().async {
        report("exit", Int(spawn(["spawned"])))
        done.signal()
      }
      done.wait()
    case .spawned:
      report("childNice", getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
      report("childMask", csc_blocked_signals())
      useSomeWorkers()
    // MARK: Refusals
    case .refusedCall:
      check(csc_refuse(CommandLine.arguments[2], Int32(integerArgument(1, default: 0))), "seccomp")
      useSomeWorkers()
      report("items", "ran")
      let fired = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { fired.signal() }
      fired.wait()
      report("timers", "ran")
      DispatchQueue.main.async { report("main", "ran") }
      DispatchMainQueueHost.drain()
    // Argument: 1 for one processor only.
    case .threadsRefused:
      if integerArgument(0, default: 0) == 1 { check(csc_use_one_processor(), "sched_setaffinity") }
      useSomeWorkers()
      becomeUnprivileged()
      check(csc_limit_threads(1), "setrlimit")
      let gate = DispatchSemaphore(value: 0)
      let ran = Tally()
      let group = DispatchGroup()
      for _ in 0..<100 { DispatchQueue.global().async(group: group) { ran.increment() } }
      group.wait()
      report("ranWithThoseThere", ran.count)
      let allWait = DispatchSemaphore(value: 0)
      let waiting = Tally()
      let wanted = 24
      for _ in 0..<wanted {
        DispatchQueue.global().async(group: group) {
          if waiting.increment() == wanted { allWait.signal() }
          gate.wait()
        }
      }
      // Every existing worker waits, and no more can be started. One that was idle for long may
      // still have ended.
      while waiting.count < threadNumbers().count - 1 { sched_yield() }
      report("early", waiting.count < wanted)
      check(csc_unlimit_threads(), "setrlimit")
      // The scenario submits nothing more: the waiting threads try again.
      allWait.wait()
      for _ in 0..<wanted { gate.signal() }
      group.wait()
      report("waited", waiting.count)
    // MARK: Ends
    case .exitFromAnItem:
      keepBusy()
      DispatchQueue.global().async { exit(7) }
      dispatchMain()
    case .exitFromMain:
      keepBusy()
      exit(7)
    case .secondCopy:
      guard dlopen(CommandLine.arguments[2], RTLD_NOW) != nil else {
        fail(String(cString: dlerror()))
      }
      useSomeWorkers()
    }
  }
}

/// The largest number of items that ran at the same time. Each item runs for a moment, and
/// longer, until the timeout, until `expected` items run together.
private func mostTogether(expected: Int = 1) -> Int {
  let most = Tally()
  let running = Tally()
  let group = DispatchGroup()
  for _ in 0..<8 {
    DispatchQueue.global().async(group: group) {
      most.raise(to: running.increment())
      let begun = milliseconds()
      while milliseconds() < begun + (most.count < expected ? eventTimeout : 5) {}
      running.decrement()
    }
  }
  group.wait()
  return most.count
}

private func check(_ error: Int32, _ call: String) {
  if error != 0 { fail("\(call): \(error)") }
}

private func changeMask(_ how: Int32, _ signal: Int32) {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, signal)
  pthread_sigmask(how, &set, nil)
}

private let handlerPipe: (reading: Int32, writing: Int32) = {
  var ends: [Int32] = [-1, -1]
  if pipe(&ends) != 0 { fail("pipe") }
  return (ends[0], ends[1])
}()

private let processors = EngineSettings.machineWidth.last

/// Runs two items at once if there are two processors.
private func useSomeWorkers() {
  let group = DispatchGroup()
  let together = Tally()
  for _ in 0..<2 {
    DispatchQueue.global().async(group: group) {
      together.increment()
      if processors > 1 { while together.count < 2 { sched_yield() } }
    }
  }
  group.wait()
}

/// The names of all threads except the first, by thread number, once each has one of its own: a
/// thread that has not begun yet has that of the one that made it. After 20 s, as they are.
private func workerNames() -> [Int: String] {
  let end = milliseconds() + 20_000
  while true {
    var names: [Int: String] = [:]
    for thread in threadNumbers() where thread != Int(getpid()) {
      guard let name = contents(of: "/proc/self/task/\(thread)/comm") else { continue }
      names[thread] = String(name.dropLast())
    }
    let areOwn = names.values.allSatisfy { $0.hasPrefix("sb-") }
    if areOwn && Set(names.values).count == names.count || milliseconds() > end { return names }
    usleep(1_000)
  }
}

private func spawn(_ arguments: [String]) -> Int32 {
  let path = "/proc/self/exe"
  var pointers = ([path] + arguments).map { strdup($0) } + [nil]
  defer { pointers.forEach { free($0) } }
  var process = pid_t()
  let error = posix_spawn(&process, path, nil, nil, &pointers, environ)
  if error != 0 { fail("posix_spawn: \(error)") }
  return csc_wait(process)
}

/// Limits on threads do not apply to root.
private func becomeUnprivileged() {
  if geteuid() == 0 && setuid(65534) != 0 { fail("setuid: \(errno)") }
}

/// Starts work of every kind that continues until the process ends.
private func keepBusy() {
  atexit { report("atexit", "ran") }
  let begun = DispatchSemaphore(value: 0)
  let queues = (0..<3).map {
    DispatchQueue(label: "org.signalbox.facts.busy", attributes: $0 == 0 ? .concurrent : [])
  }
  for (index, queue) in queues.enumerated() {
    let other = queues[(index + 1) % queues.count]
    @Sendable func turn() {
      begun.signal()
      let tracked = Tracked(Tally())
      other.asyncAfter(deadline: .now() + .microseconds(20)) { _ = tracked }
      other.async { _ = tracked }
      queue.async(execute: turn)
    }
    queue.async(execute: turn)
  }
  for _ in 0..<30 { begun.wait() }
}
