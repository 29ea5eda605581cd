// Memory — programs that record themselves: into little memory, from many threads, and again and
// again.

import CSignalbox
import Glibc
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime
import SignalboxTrace
import Synchronization

let memoryScenarios: [String: Scenario] = [
  // One thread takes this many steps of its own.
  "marks": { arguments in
    start(memory: 1)
    for index in 0..<Int(arguments[1])! { TraceRecorder.mark("mark \(index)") }
    write(arguments[0])
  },
  // This many threads, one after the other, take one step each.
  "threads-in-turn": { arguments in
    start(memory: 8 * 16384)
    for _ in 0..<Int(arguments[1])! { onThreads(1) { _ in TraceRecorder.mark("in turn") } }
    write(arguments[0])
  },
  // There are more threads than chunks, all alive.
  "too-many-threads": { arguments in
    start(memory: 4 * 16384)
    let (all, done) = (Meeting(12), Meeting(12))
    onThreads(12) { _ in
      all.meet()
      for _ in 0..<100 { TraceRecorder.mark("at once") }
      done.meet()
    }
    write(arguments[0])
  },
  // Makes copies while others write; each copy must be complete.
  "copies": { _ in
    start(memory: 6 * 16384)
    let over = Atomic<Bool>(false)
    let all = Meeting(5)
    onThreads(5) { index in
      if index > 0 {
        TraceRecorder.mark("copied")
        all.meet()
        while !over.load(ordering: .sequentiallyConsistent) { TraceRecorder.mark("copied") }
        return
      }
      // Each of the others has written something, and goes on.
      all.meet()
      for _ in 0..<30 { check(TraceRecorder.snapshot()) }
      over.store(true, ordering: .sequentiallyConsistent)
    }
    report("events", check(TraceRecorder.snapshot()))
  },
  // Makes copies while others take numbered steps.
  "copies-in-order": { arguments in
    start(memory: Int(arguments[1])!)
    let over = Atomic<Bool>(false)
    let begun = Meeting(4)
    onThreads(4) { index in
      if index > 0 {
        return count { number in
          if number == 1000 { begun.meet() }
          return over.load(ordering: .sequentiallyConsistent)
        }
      }
      begun.meet()
      for copy in 0..<5 { write("\(arguments[0]).\(copy).sbtrace") }
      over.store(true, ordering: .sequentiallyConsistent)
    }
  },
  // Several threads take numbered steps and overwrite the first ones; then one thread crashes.
  "crash-in-order": { _ in
    onThreads(4) { index in
      if index > 0 { return count { _ in false } }
      while csb_trace_lost_load() < 100_000 { sched_yield() }
      abort()
    }
  },
  // There are more queues than memory for names, each with an item.
  "many-queues": { arguments in
    for index in 0..<Int(arguments[0])! { DispatchQueue(label: "memory.queue.\(index)").sync {} }
    // Writing takes memory too, and the program's end writes only after this report.
    write("/dev/null")
    report("peak", peakMemory())
  },
  // Makes queues one after the other, each freed before the next, and one queue that stays, in
  // little memory.
  "queues-in-turn": { arguments in
    var options = TraceRecorder.Options()
    options.memory = 4 * 16384
    options.namesMemory = 64 << 10
    options.kinds = [.items, .syncs, .threads]
    do throws(TraceRecorderError) { try TraceRecorder.start(options) } catch { fail("\(error)") }
    let target = DispatchQueue(label: "memory.target")
    let lasting = DispatchQueue(label: "memory.lasting", target: target)
    lasting.sync {}
    for index in 0..<Int(arguments[1])! {
      DispatchQueue(label: "memory.queue.\(index)", target: target).sync {}
      if index % 100 == 0 { onThreads(1) { _ in TraceRecorder.mark("of thread \(index)") } }
    }
    lasting.sync {}
    write(arguments[0])
  },
  // A queue keeps its number only in its own recording.
  "again": { arguments in
    let queue = DispatchQueue(label: "memory.again")
    for round in 0..<3 {
      start(memory: 1 << 20)
      queue.sync {}
      if TraceRecorder.isOn == false { fail("it was started, and is not on") }
      tell("twice") { try TraceRecorder.start() }
      TraceRecorder.stop()
      queue.sync {}
      write("\(arguments[0]).\(round).sbtrace")
    }
  },
  // Recordings begin and end while more threads than processors are in the middle of steps. The
  // thread that makes them has a share of a processor: on a busy machine there are fewer.
  "begun-meanwhile": { arguments in
    let over = Atomic<Bool>(false)
    let steps = Atomic<Int>(0)
    let end = Clock.uptime.now + 20_000_000_000
    onThreads(9) { index in
      if index > 0 {
        let queue = DispatchQueue(label: "memory.meanwhile.\(index)")
        while !over.load(ordering: .sequentiallyConsistent) {
          queue.sync {}
          steps.add(1, ordering: .sequentiallyConsistent)
        }
        return
      }
      for _ in 0..<Int(arguments[0])! where Clock.uptime.now < end {
        start(memory: 1 << 20)
        let enough = steps.load(ordering: .sequentiallyConsistent) + 10_000
        while steps.load(ordering: .sequentiallyConsistent) < enough { sched_yield() }
        checkQueues(TraceRecorder.snapshot())
        TraceRecorder.stop()
      }
      over.store(true, ordering: .sequentiallyConsistent)
    }
  },
  // A thread waits when a recording begins, as it did in the previous one.
  "wait-across": { arguments in
    let semaphore = DispatchSemaphore(value: 0)
    start(memory: 1 << 20)
    onThreads(2) { index in
      if index == 0 { return semaphore.wait() }
      // The registry of waits is no proof: the recorder learns of a wait a moment later.
      waitUntil(1, wait: .semaphore)
      TraceRecorder.stop()
      start(memory: 1 << 20)
      TraceRecorder.mark("begun again")
      semaphore.signal()
    }
    write(arguments[0])
  },
  // A queue is already scheduled on another queue when the recording begins.
  "scheduled-before": { arguments in
    let target = DispatchQueue(label: "memory.target")
    let queue = DispatchQueue(label: "memory.queue", target: target)
    target.suspend()
    let group = DispatchGroup()
    queue.async(group: group) {}
    start(memory: 1 << 20)
    target.resume()
    group.wait()
    write(arguments[0])
  },
  // A queue has items before it has its target.
  "target-later": { arguments in
    let target = DispatchQueue(label: "memory.target")
    let queue = DispatchQueue(label: "memory.queue", attributes: .initiallyInactive)
    start(memory: 1 << 20)
    let group = DispatchGroup()
    queue.async(group: group) {}
    queue.setTarget(queue: target)
    queue.activate()
    group.wait()
    write(arguments[0])
  },
  // There are more timers than memory for names, and then a queue.
  "many-timers": { arguments in
    let queue = DispatchQueue(label: "memory.early")
    var timers = 0
    while timers < 30_000 {
      let group = DispatchGroup()
      for _ in 0..<100 {
        group.enter()
        let due = DispatchTime.now() + .milliseconds(1)
        queue.asyncAfter(deadline: due) { group.leave() }
        // A call that came too late has submitted the item without a timer.
        if DispatchTime.now() < due { timers += 1 }
      }
      group.wait()
    }
    DispatchQueue(label: "memory.late").sync {}
  },
  // One thread starts recordings and another stops them, thousands of times. Whichever call
  // came last, a recording is running if and only if the recorder says so. Each round waits for a thread
  // that may come late: on a busy machine there are fewer.
  "started-and-stopped": { arguments in
    let rounds = Int(arguments[0])!
    var (startedLast, wrong) = (0, 0)
    let end = Clock.uptime.now + 10_000_000_000
    for _ in 0..<rounds where Clock.uptime.now < end {
      let meeting = Meeting(2)
      onThreads(2) { index in
        meeting.meet()
        if index == 0 { try? TraceRecorder.start() } else { TraceRecorder.stop() }
      }
      let says = TraceRecorder.isOn
      let mayStart = (try? TraceRecorder.start()) != nil
      if says == mayStart { wrong += 1 }
      if says { startedLast += 1 }
      TraceRecorder.stop()
    }
    report("wrong", wrong)
    report("startedLast", startedLast)
  },
  "errors": { arguments in
    tell("nothing") { try TraceRecorder.write(to: arguments[0] + "/x.sbtrace") }
    report("empty", TraceRecorder.snapshot().isEmpty)
    start(memory: 1)
    tell("folder") { try TraceRecorder.write(to: arguments[0] + "/none/x.sbtrace") }
    tell("form") { try TraceRecorder.write(to: arguments[0] + "/x.doc") }
    tell("none") { try TraceRecorder.write(to: arguments[0] + "/x") }
    tell("full") { try TraceRecorder.write(to: "/dev/full") }
    tell("directory") { try TraceRecorder.write(to: arguments[0] + "/d.sbtrace") }
  },
  // What an unrecorded program pays.
  "unset": { _ in
    let queue = DispatchQueue(label: "memory.unset")
    queue.sync {}
    var action = sigaction()
    var handlers = 0
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGUSR1] {
      sigaction(signal, nil, &action)
      if action.__sigaction_handler.sa_sigaction != nil { handlers += 1 }
    }
    report("handlers", handlers)
    report("attended", csb_thread_self().pointee.trace != nil)
    report("session", csb_trace_session_load())
    report("mask", csb_probe_mask_load())
    report("threads", threadCount())
  },
]

private func start(memory: Int) {
  var options = TraceRecorder.Options()
  options.memory = memory
  do { try TraceRecorder.start(options) } catch { fail("\(error)") }
}

/// Waits until `count` threads wait for this reason.
func awaitWaits(_ reason: WaitReason, _ count: Int) {
  while WaitRegistry.shared.waits.count(where: { $0.reason == reason }) < count { sched_yield() }
}

/// Takes numbered steps until `isOver` returns true.
private func count(until isOver: (Int) -> Bool) {
  var number = 0
  while !isOver(number) {
    Probe.loopBegan(number)
    number += 1
  }
}

private func write(_ path: String) {
  do { try TraceRecorder.write(to: path) } catch { fail("\(error)") }
}

/// The number of events in the recording, which is to be complete.
@discardableResult
private func check(_ image: [UInt8]) -> Int {
  do { return try TraceRecording(image).events.count } catch { fail("\(error)") }
}

/// Checks that every step on a queue is on one that has its name in this recording.
private func checkQueues(_ image: [UInt8]) {
  do {
    let recording = try TraceRecording(image)
    let named = Set(recording.names.filter { $0.subject == .queue }.map(\.id))
    for event in recording.events where event.kind == .syncEntered || event.kind == .syncLeft {
      if !named.contains(event.object) { fail("\(event) is of a queue of another recording") }
    }
  } catch { fail("\(error)") }
}

private func tell(_ name: String, _ body: () throws -> Void) {
  do {
    try body()
    report(name, "no error")
  } catch { report(name, "\(error)") }
}

private func threadCount() -> Int {
  guard let folder = opendir("/proc/self/task") else { return 0 }
  defer { closedir(folder) }
  var count = 0
  while let entry = readdir(folder) {
    if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
  }
  return count
}

/// The most memory that this program has used at a time, in KiB.
///
/// The parent cannot tell. Until its `exec`, a child of `posix_spawn` runs in its parent's memory,
/// and the kernel counts the parent's peak as the child's.
private func peakMemory() -> Int {
  guard case .text(let text) = SmallFile.read("/proc/self/status"),
    let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
    let peak = Int(line.filter(\.isNumber))
  else { fail("no peak") }
  return peak
}
