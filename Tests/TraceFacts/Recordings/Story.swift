// Story — programs whose recordings tests read: one of each kind of step, and many at once.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxRunLoop
import SignalboxRuntime
import SignalboxThreads
import SignalboxTrace
import Synchronization

let storyScenarios: [String: Scenario] = [
  // An item of the main queue follows a thread's turn on a queue.
  "sync-upon-main": { _ in
    let queue = DispatchQueue(label: "story.upon", target: .main)
    let other = DispatchQueue(label: "story.other")
    DispatchQueue.global().async {
      let held = Meeting(2)
      onThreads(2) { index in
        if index == 0 {
          return queue.sync {
            held.meet()
            // The call's own caller is one of them.
            awaitWaits(.sync, 2)
          }
        }
        held.meet()
        queue.sync {}
        TraceRecorder.mark("between")
        other.sync {}
      }
      exit(0)
    }
    dispatchMain()
  },
  "steps": { _ in steps() },
  "labels": { _ in
    for label in ["say \"ho\"\n<b>", "🚦 gruß", "", String(repeating: "é", count: 2000)] {
      DispatchQueue(label: label).sync {}
    }
  },
  // Makes a queue for each label; the items show which queues were recorded.
  "two-queues": { _ in
    for label in ["com.example.wanted", "com.example.other"] {
      let queue = DispatchQueue(label: label)
      for _ in 0..<5 { queue.async {} }
      queue.sync {}
    }
  },
  "storm": { arguments in storm(seed: UInt64(arguments[0]) ?? 1) },
]

private func steps() {
  TraceRecorder.mark("begun")
  let serial = DispatchQueue(label: "steps.serial", qos: .utility)
  let target = DispatchQueue(label: "steps.target", target: serial)
  let concurrent = DispatchQueue(label: "steps.concurrent", attributes: .concurrent)
  target.async {}
  target.sync {}
  concurrent.async(flags: .barrier) {}
  concurrent.sync(flags: .barrier) {}
  concurrent.sync {}

  let group = DispatchGroup()
  let gate = DispatchSemaphore(value: 0)
  concurrent.async(group: group) { gate.wait() }
  waitUntilOneWaits(for: .semaphore)
  gate.signal()
  group.wait()

  // Long enough for the recorder to count how often it left the processor, which it does.
  _ = serial.sync { usleep(2000) }
  serial.async(group: group) { usleep(2000) }
  group.wait()

  let late = DispatchSemaphore(value: 0)
  serial.asyncAfter(deadline: .now() + .milliseconds(1)) { late.signal() }
  late.wait()
  let timer = DispatchSource.makeTimerSource(queue: serial)
  timer.setEventHandler { late.signal() }
  timer.schedule(deadline: .now() + .milliseconds(1))
  timer.activate()
  late.wait()
  timer.cancel()
  let never = DispatchWorkItem {}
  serial.asyncAfter(deadline: .now() + .seconds(1000), execute: never)
  never.cancel()
  if gate.wait(timeout: .now() + .milliseconds(1)) == .success { fail("nobody has signalled") }

  let lock = NSLock()
  lock.name = "steps.lock"
  lock.lock()
  let waiter = JoinableThread {
    lock.lock()
    lock.unlock()
  }
  waiter.name = "steps.waiter"
  waiter.start()
  waitUntilOneWaits(for: .lock)
  lock.unlock()
  // After it, the end of the thread is recorded.
  waiter.join()

  let loop = Timer(timeInterval: 0.001, repeats: false) { _ in CFRunLoopStop(CFRunLoopGetCurrent())
  }
  RunLoop.current.add(loop, forMode: .default)
  CFRunLoopRunInMode(.defaultMode, 1000, false)

  // The item waits for the main thread, which serves it.
  serial.async { DispatchQueue.main.async { exit(0) } }
  dispatchMain()
}

/// Waits until another thread than the main one waits for this reason, according to the
/// recording.
private func waitUntilOneWaits(for reason: WaitReason) {
  while true {
    guard let recording = try? TraceRecording(TraceRecorder.snapshot()) else {
      fail("there is no recording")
    }
    let waits = recording.events.filter { $0.a == reason.rawValue && $0.thread != 1 }
    let began = waits.count { $0.kind == .waitBegan }
    if began > waits.count(where: { $0.kind == .waitEnded }) { return }
    sched_yield()
  }
}

/// Threads submit to queues of all kinds, also from within items.
private func storm(seed: UInt64) {
  let serial = (0..<4).map { DispatchQueue(label: "storm.serial.\($0)") }
  let concurrent = DispatchQueue(label: "storm.concurrent", attributes: .concurrent)
  let queues = serial + [concurrent, .global(), .global(qos: .background)]
  let group = DispatchGroup()
  let submitted = Atomic<Int>(0)
  let submit:
    @Sendable (DispatchQueue, DispatchWorkItemFlags, @escaping @Sendable () -> Void) -> Void =
      { queue, flags, work in
        submitted.add(1, ordering: .relaxed)  // order: relaxed; a count.
        queue.async(group: group, flags: flags, execute: work)
      }
  onThreads(6) { index in
    var numbers = Numbers(seed: seed &* 8 &+ UInt64(index))
    for _ in 0..<1500 {
      let queue = queues[numbers.next(below: queues.count)]
      let other = queues[numbers.next(below: queues.count)]
      switch numbers.next(below: 5) {
      case 0: queue.sync {}
      case 1: submit(queue, .barrier) {}
      case 2: submit(queue, []) { submit(other, []) {} }
      default: submit(queue, []) {}
      }
    }
  }
  group.wait()
  report("submitted", submitted.load(ordering: .relaxed))  // order: relaxed; a count.
}
