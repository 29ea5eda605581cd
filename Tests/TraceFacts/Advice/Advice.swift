// Advice — programs that make one classic mistake each, and the same programs repaired.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxDiagnostics
import SignalboxRuntime
import SignalboxThreads
import SignalboxTrace
import Synchronization

let adviceScenarios: [String: Scenario] = [
  "queue-as-lock": { _ in onThreads(1) { _ in countUnderAQueue() } },
  "queue-as-lock-repaired": { _ in onThreads(1) { _ in countUnderALock() } },
  "short-items": { _ in onThreads(1) { _ in handOverOneByOne() } },
  "short-items-repaired": { _ in onThreads(1) { _ in handOverAllInOne() } },
  "blocked-workers": { _ in onThreads(1) { _ in haveEveryItemWait() } },
  "blocked-workers-repaired": { _ in onThreads(1) { _ in submitWhenTheGateOpens() } },
  "deep-queue": { _ in onThreads(1) { _ in serve { fill($0, $1) } } },
  "deep-queue-repaired": { _ in onThreads(1) { _ in serve { submitTheNext($0, $1, 2000) } } },
  "main-thread-wait": { _ in
    waitOnTheMainThread()
    dispatchMain()
  },
  "main-thread-wait-repaired": { _ in
    haveTheMainThreadTold()
    dispatchMain()
  },
  "priority-inversion": { _ in onThreads(1) { _ in share(.background, .userInteractive) } },
  "priority-inversion-repaired": { _ in onThreads(1) { _ in share(.utility, .utility) } },
  // Runs until it receives advice about two queues, and ends without another word.
  "advice-meanwhile": { arguments in
    for label in ["advice.counter", "advice.other"] {
      onThreads(1) { _ in countUnderAQueue(label) }
      while !contents(of: arguments[0]).contains(label) { usleep(1000) }
    }
    _exit(0)
  },
  // Counts the recorded steps by kind.
  "advice-kinds": { _ in
    let queue = DispatchQueue(label: "advice.kinds")
    let group = DispatchGroup()
    for _ in 0..<100 {
      queue.async(group: group) {}
      group.wait()
    }
    do {
      var counts: [EventKind: Int] = [:]
      for event in try TraceRecording(TraceRecorder.snapshot()).events {
        counts[event.kind, default: 0] += 1
      }
      for (kind, count) in counts { report("\(kind)", count) }
    } catch {
      fail("\(error)")
    }
  },
  // Asks for advice itself.
  "advice-asked": { _ in
    report("before", TraceRecorder.advice().count)
    var options = TraceRecorder.Options()
    options.places = true
    do { try TraceRecorder.start(options) } catch { fail("\(error)") }
    onThreads(1) { _ in countUnderAQueue() }
    for advice in TraceRecorder.advice() {
      report("kind", advice.kind.rawValue)
      report("queue", advice.queue)
      report("calls", advice.count)
      report("places", advice.places.map(\.function).joined(separator: "|"))
    }
  },
]

// MARK: A queue as a lock

@inline(never)
private func countUnderAQueue(_ label: String = "advice.counter") {
  let queue = DispatchQueue(label: label)
  var count = 0
  for _ in 0..<2000 { queue.sync { count += 1 } }
  report("count", count)
}

@inline(never)
private func countUnderALock() {
  let (queue, lock) = (DispatchQueue(label: "advice.counter"), NSLock())
  var count = 0
  for _ in 0..<2000 {
    lock.lock()
    count += 1
    lock.unlock()
  }
  queue.sync { report("count", count) }
}

// MARK: Items shorter than their hand-off

@inline(never)
private func handOverOneByOne() {
  let queue = DispatchQueue(label: "advice.short")
  let ran = Atomic<Int>(0)
  // Each item changes threads: on a busy machine there are fewer, and still more than the advice
  // needs.
  let soon = Clock.uptime.now + 10_000_000_000
  for index in 0..<5000 where index < 2000 || Clock.uptime.now < soon {
    queue.async { ran.add(1, ordering: .sequentiallyConsistent) }
    while ran.load(ordering: .sequentiallyConsistent) == index { sched_yield() }
    // Waits until the queue has usually become idle.
    let end = Clock.uptime.now + 10_000
    while Clock.uptime.now < end {}
  }
  report("count", ran.load(ordering: .sequentiallyConsistent))
}

@inline(never)
private func handOverAllInOne() {
  let (queue, group) = (DispatchQueue(label: "advice.short"), DispatchGroup())
  let ran = Atomic<Int>(0)
  queue.async(group: group) {
    for _ in 0..<5000 { ran.add(1, ordering: .sequentiallyConsistent) }
  }
  group.wait()
  report("count", ran.load(ordering: .sequentiallyConsistent))
}

// MARK: Blocked workers

@inline(never)
private func haveEveryItemWait() {
  let queue = DispatchQueue(label: "advice.blocked", attributes: .concurrent)
  // The gate is a group: once it is empty, each waiting thread has waited once. A thread that waits
  // for a semaphore may find that another thread has taken the permit, and waits again.
  let (gate, group) = (DispatchGroup(), DispatchGroup())
  gate.enter()
  for _ in 0..<8 { queue.async(group: group) { passTheGate(gate) } }
  waitUntil(8, wait: .group)
  gate.leave()
  group.wait()
  report("count", 8)
}

@inline(never)
private func passTheGate(_ gate: DispatchGroup) { gate.wait() }

@inline(never)
private func submitWhenTheGateOpens() {
  let queue = DispatchQueue(label: "advice.blocked", attributes: .concurrent)
  let (gate, group) = (DispatchGroup(), DispatchGroup())
  let ran = Atomic<Int>(0)
  gate.enter()
  for _ in 0..<8 {
    group.enter()
    gate.notify(queue: queue) {
      ran.add(1, ordering: .sequentiallyConsistent)
      group.leave()
    }
  }
  gate.leave()
  group.wait()
  report("count", ran.load(ordering: .sequentiallyConsistent))
}

// MARK: A deep queue

/// Makes the first item of a serial queue submit the others: none runs before it ends.
private func serve(_ submit: @escaping @Sendable (DispatchQueue, DispatchGroup) -> Void) {
  let (queue, group) = (DispatchQueue(label: "advice.deep"), DispatchGroup())
  queue.async(group: group) { submit(queue, group) }
  group.wait()
  report("count", 2000)
}

@inline(never)
private func fill(_ queue: DispatchQueue, _ group: DispatchGroup) {
  for _ in 0..<2000 { queue.async(group: group) {} }
}

@inline(never)
private func submitTheNext(_ queue: DispatchQueue, _ group: DispatchGroup, _ left: Int) {
  if left > 0 { queue.async(group: group) { submitTheNext(queue, group, left - 1) } }
}

// MARK: A wait on the main thread

@inline(never)
private func waitOnTheMainThread() {
  let result = DispatchSemaphore(value: 0)
  DispatchQueue.main.async { exit(0) }
  Thread {
    waitUntil(1, wait: .semaphore)
    // Takes some time, at least two frames.
    usleep(32_000)
    result.signal()
  }.start()
  result.wait()
}

@inline(never)
private func haveTheMainThreadTold() {
  let result = DispatchGroup()
  result.enter()
  result.notify(queue: .main) { exit(0) }
  Thread {
    usleep(32_000)
    result.leave()
  }.start()
}

// MARK: Priority inversion

/// Makes an item of one class hold a lock that an item of another class waits for.
private func share(_ holder: DispatchQoS, _ wanter: DispatchQoS) {
  let lock = NSLock()
  lock.name = "advice.state"
  let holds = Atomic<Bool>(false)
  let goesOn = Atomic<Bool>(false)
  let group = DispatchGroup()
  DispatchQueue(label: "advice.holder", qos: holder).async(group: group) {
    lock.lock()
    holds.store(true, ordering: .sequentiallyConsistent)
    while !goesOn.load(ordering: .sequentiallyConsistent) { usleep(1000) }
    lock.unlock()
  }
  while !holds.load(ordering: .sequentiallyConsistent) { usleep(1000) }
  DispatchQueue(label: "advice.wanter", qos: wanter).async(group: group) { want(lock) }
  waitUntil(1, wait: .lock)
  usleep(4000)
  goesOn.store(true, ordering: .sequentiallyConsistent)
  group.wait()
}

@inline(never)
private func want(_ lock: NSLock) {
  lock.lock()
  lock.unlock()
}

/// Waits until `count` threads wait for this reason, according to the recording. Returns at
/// once if there is no recording.
func waitUntil(_ count: Int, wait reason: WaitReason) {
  while TraceRecorder.isOn {
    guard let recording = try? TraceRecording(TraceRecorder.snapshot()) else {
      fail("there is no recording")
    }
    let waits = recording.events.filter { $0.a == reason.rawValue }
    let began = waits.count { $0.kind == .waitBegan }
    if began >= waits.count(where: { $0.kind == .waitEnded }) + count { return }
    usleep(1000)
  }
}

private func contents(of path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}
