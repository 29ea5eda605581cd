// Programs that end in their several ways while they are recorded.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTrace

let endScenarios: [String: Scenario] = [
  "end": { _ in
    work()
    exit(7)
  },
  "crash": { _ in
    work()
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
  },
  "crash-on-a-worker": { _ in
    DispatchQueue(label: "ends.crash").async { raise(SIGSEGV) }
    while true { pause() }
  },
  "overflow-of-the-stack": { _ in
    onThreads(1) { _ in
      work()
      report("depth", endless(1))
    }
  },
  "trap": { _ in
    let queue = DispatchQueue(label: "ends.trap")
    queue.sync { queue.sync {} }
  },
  "swift-trap": { arguments in
    work()
    print([1, 2, 3][arguments.count + 3])
  },
  "abort": { _ in
    work()
    abort()
  },
  // Two threads at once.
  "two-crashes": { _ in
    let meeting = Meeting(2)
    onThreads(2) { _ in
      work()
      meeting.meet()
      UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
    }
  },
  "own-handler": { _ in
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in _exit(33) }
    sigaction(SIGSEGV, &action, nil)
    work()
    raise(SIGSEGV)
  },
  "fork": { _ in
    work()
    let child = csc_fork()
    if child == 0 {
      // The child's own work goes nowhere, and its end writes nothing.
      work("ends.child")
      if TraceRecorder.isOn { _exit(3) }
      exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    report("child", status)
    work("ends.after")
  },
  "fork-and-crash": { arguments in
    work()
    let child = csc_fork()
    if child == 0 { abort() }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    report("child", status & 0x7F)
    report("written", access(arguments[0], F_OK) == 0)
  },
  "fork-and-record": { arguments in
    work()
    let child = csc_fork()
    if child == 0 {
      do {
        try TraceRecorder.start()
        work("ends.child")
        try TraceRecorder.write(to: arguments[0])
      } catch { fail("\(error)") }
      exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    report("child", status)
  },
  // Raises the signal, and goes on when the file is there.
  "signal": { arguments in
    work()
    raise(SIGUSR1)
    while access(arguments[0], F_OK) != 0 { usleep(1000) }
    _exit(0)
  },
  "late": { arguments in
    let queue = DispatchQueue(label: "ends.late")
    queue.async { usleep(20_000) }
    queue.async {}
    while access(arguments[0], F_OK) != 0 { usleep(1000) }
    _exit(0)
  },
  "no-room": { _ in
    work()
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 65536, rlim_max: 65536)
    setrlimit(__rlimit_resource_t(1), &limit)
  },
]

/// Something to be recorded.
private func work(_ label: String = "ends.work") {
  let queue = DispatchQueue(label: label)
  for _ in 0..<3 { queue.async {} }
  queue.sync {}
}

@inline(never)
private func endless(_ depth: Int) -> Int {
  var bytes = (depth, depth, depth, depth)
  return withUnsafeMutablePointer(to: &bytes) { endless($0.pointee.0 + 1) + $0.pointee.3 }
}
