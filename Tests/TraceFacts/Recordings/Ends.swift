// Ends — programs that end in different ways while they are recorded.

import CSignalbox
import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTrace
import Synchronization

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
  "crash-unheard": { arguments in
    work()
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    dup2(ends[1], STDERR_FILENO)
    close(ends[1])
    if arguments[0] == "closed" {
      close(ends[0])
    } else {
      // Writes one byte at a time, so that no room is left.
      _ = fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK)
      var byte: UInt8 = 0
      while write(STDERR_FILENO, &byte, 1) == 1 {}
      _ = fcntl(STDERR_FILENO, F_SETFL, 0)
    }
    abort()
  },
  // Two threads crash at once.
  "two-crashes": { _ in
    let meeting = Meeting(2)
    onThreads(2) { _ in
      work()
      meeting.meet()
      UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
    }
  },
  // The data to be written cannot be read.
  "crash-in-the-writer": { arguments in
    work()
    let image = recordingsAddress()
    mprotect(UnsafeMutableRawPointer(bitPattern: image), 4096, PROT_NONE)
    if arguments[0] == "abort" { abort() }
    UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
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
      // The child's own work is not recorded, and its end writes nothing.
      work("ends.child")
      if TraceRecorder.isOn { _exit(3) }
      exit(0)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    report("child", status)
    work("ends.after")
  },
  "fork-while-recording": { _ in forkWhileRecording() },
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
  // Raises the signal, and continues when the file exists.
  "signal": { arguments in
    work()
    raise(SIGUSR1)
    while access(arguments[0], F_OK) != 0 { usleep(1000) }
    _exit(0)
  },
  // A signal asks the program to end; the program leaves that to the system.
  "asked-to-end": { arguments in
    work()
    raise(csb_trace_signal_number(arguments[0]))
    while true { pause() }
  },
  // A signal asks the program to end; the program has a source for it.
  "asked-to-end-in-order": { arguments in
    work()
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    source.setEventHandler {
      while access(arguments[0], F_OK) != 0 { usleep(1000) }
      _exit(7)
    }
    source.activate()
    kill(getpid(), SIGTERM)
    while true { pause() }
  },
  "late": { arguments in
    let queue = DispatchQueue(label: "ends.late")
    let isSubmitted = Atomic<Bool>(false)
    queue.async {
      while !isSubmitted.load(ordering: .sequentiallyConsistent) { sched_yield() }
      // The second item waits, however late it was submitted.
      usleep(20_000)
    }
    queue.async {}
    isSubmitted.store(true, ordering: .sequentiallyConsistent)
    while access(arguments[0], F_OK) != 0 { usleep(1000) }
    _exit(0)
  },
  // Makes late items until the folder has this many recordings, and then some more.
  "late-repeatedly": { arguments in
    let wanted = Int(arguments[1])!
    while recordings(in: arguments[0]) < wanted { makeALateItem() }
    for _ in 0..<20 { makeALateItem() }
    // The recorder's thread takes this after what came before.
    if arguments.count > 2 {
      raise(SIGUSR1)
      while recordings(in: arguments[0]) == wanted { usleep(1000) }
    }
    _exit(0)
  },
  "no-room": { _ in
    work()
    fillTheDisk()
  },
  "no-room-and-crash": { _ in
    work()
    fillTheDisk()
    abort()
  },
]

/// From now on a file may have only this many bytes, without a signal: the system refuses to
/// write in the middle, as with a full disk.
private func fillTheDisk() {
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: 65536, rlim_max: 65536)
  setrlimit(__rlimit_resource_t(1), &limit)
}

/// Does some work that can be recorded.
private func work(_ label: String = "ends.work") {
  let queue = DispatchQueue(label: label)
  for _ in 0..<3 { queue.async {} }
  queue.sync {}
}

/// Enters the recorder's lock in every way as often as possible while the process forks. Each
/// child works, is recorded itself, and ends.
private func forkWhileRecording() {
  let over = Atomic<Bool>(false)
  let rounds = Atomic<Int>(0)
  let bodies: [@Sendable () -> Void] = [
    { for _ in 0..<1000 { TraceRecorder.mark("again") } },
    { work() },
    { onThreads(1) { _ in TraceRecorder.mark("a thread that comes and goes") } },
    { _ = TraceRecorder.snapshot() },
  ]
  // The first use of a type in a child may need a lock of the Swift runtime that another thread
  // held at the fork.
  for body in bodies { body() }
  recordAnew()
  let failed = Atomic<Int>(0)
  onThreads(bodies.count + 1) { index in
    if index < bodies.count {
      for _ in 0..<3 { bodies[index]() }
      rounds.add(1, ordering: .sequentiallyConsistent)
      while !over.load(ordering: .sequentiallyConsistent) { bodies[index]() }
      return
    }
    while rounds.load(ordering: .sequentiallyConsistent) < bodies.count { sched_yield() }
    // Each child records itself: on a busy machine there are fewer.
    let end = Clock.uptime.now + 20_000_000_000
    for _ in 0..<40 where Clock.uptime.now < end {
      let child = csc_fork()
      if child == 0 {
        alarm(60)
        work("ends.child")
        recordAnew()
        _exit(0)
      }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      if status != 0 { failed.add(1, ordering: .sequentiallyConsistent) }
    }
    over.store(true, ordering: .sequentiallyConsistent)
  }
  report("failed", failed.load(ordering: .sequentiallyConsistent))
}

/// Ends the recording, if there is one, and begins another.
private func recordAnew() {
  TraceRecorder.stop()
  do { try TraceRecorder.start() } catch { fail("\(error)") }
  work("ends.anew")
  if TraceRecorder.snapshot().isEmpty { fail("nothing is recorded") }
}

/// The address of the recording in memory.
private func recordingsAddress() -> UInt {
  guard let file = fopen("/proc/self/maps", "r") else { fail("no list of mappings") }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 4096)
  while fgets(&line, Int32(line.count), file) != nil {
    let text = String(
      decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let words = text.split(separator: " ")
    let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
    // The kernel reports adjacent mappings as one.
    for page in stride(from: ends[0], to: ends[1], by: 4096) {
      var word: UInt64 = 0
      guard let place = UnsafeRawPointer(bitPattern: page),
        csb_look_at_memory(place, &word, 8) == 0
      else { continue }
      if withUnsafeBytes(of: word, { $0.elementsEqual("SBTRACE1".utf8) }) { return page }
    }
  }
  fail("there is no recording")
}

@inline(never)
private func endless(_ depth: Int) -> Int {
  var bytes = (depth, depth, depth, depth)
  return withUnsafeMutablePointer(to: &bytes) { endless($0.pointee.0 + 1) + $0.pointee.3 }
}

private func makeALateItem() {
  let queue = DispatchQueue(label: "ends.late")
  queue.async { usleep(2000) }
  queue.async {}
  queue.sync {}
}

/// How many complete recordings a folder has.
private func recordings(in folder: String) -> Int {
  guard let directory = opendir(folder) else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name.hasSuffix(".sbtrace") { count += 1 }
  }
  return count
}
