// What the toolchain's Dispatch does wrong, as facts that can be compared: one
// source, built against each. It needs half a minute, most of it doing nothing.

import CBenchmark
import Glibc

cbench_die_after(120)

/// How long D11 waits for its items to begin, and D16 and D21 for what they look for, in
/// milliseconds. Argument: a longer time, for a busy machine.
let longestStart = CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? 3_000

// D24: threads in the second after the first item, the main one included. First, as
// the name says.
do {
  let most = Count()
  DispatchQueue.global().async {}
  _ = milliseconds(
    until: {
      most.raise(to: threadNumbers().count)
      return false
    }, atMost: 1_000)
  report("D24", "threads after the first async", most.value)
}

// D12: context switches of a process that has used the pool and does nothing. The
// sleep of this thread is the one that is taken off.
do {
  cbench_sleep_microseconds(10_000_000)
  let before = cbench_context_switches()
  cbench_sleep_microseconds(10_000_000)
  report("D12", "wake-ups in 10 s of idleness", Int(cbench_context_switches() - before) - 1)
}

// D15 and D27.
report("D15", "main === main", DispatchQueue.main === DispatchQueue.main)
report("D15", "global() === global()", DispatchQueue.global() === DispatchQueue.global())
report(
  "D27", "qos of a userInteractive queue reads back",
  DispatchQueue(label: "D27", qos: .userInteractive).qos.qosClass)
report(
  "D27", "qos of the global userInteractive queue reads back",
  DispatchQueue.global(qos: .userInteractive).qos.qosClass)

// D8 and D34: the kernel's priority (nice value: higher is less) at which an item runs.
do {
  func priority(_ submit: (@escaping @Sendable () -> Void) -> Void) -> Int {
    let value = Count()
    let done = DispatchSemaphore(value: 0)
    submit {
      value.store(niceValue())
      done.signal()
    }
    done.wait()
    return value.value
  }
  report(
    "D8", "nice value on global(qos: .background)",
    priority { DispatchQueue.global(qos: .background).async(execute: $0) })
  let queue = DispatchQueue(label: "D8", qos: .background)
  report(
    "D8", "nice value of an enforced userInitiated item on a background queue",
    priority { queue.async(qos: .userInitiated, flags: .enforceQoS, execute: $0) })
  let normal = Count()
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global(qos: .background).async {
    DispatchQueue.concurrentPerform(iterations: 2_000) { _ in
      cbench_compute(20_000)
      if niceValue() <= 0 { normal.increment() }
    }
    done.signal()
  }
  done.wait()
  report("D34", "of 2,000 iterations from a background item, at normal priority", normal.value)
}

// D16: the clock on which the kernel counts the time-out of a wait until a DispatchTime.
do {
  let thread = Count()
  let semaphore = DispatchSemaphore(value: 0)
  let done = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    thread.store(threadNumber())
    _ = semaphore.wait(timeout: .now() + .seconds(5))
    done.signal()
  }
  var clock = "unknown"
  let isKnown = {
    clock = clockOfWait(thread: thread.value) ?? clock
    return clock != "unknown"
  }
  _ = milliseconds(until: isKnown, atMost: longestStart)
  semaphore.signal()
  done.wait()
  report("D16", "clock of semaphore.wait(timeout: DispatchTime)", clock)
}

// D22: what a cancelled item keeps until its deadline.
do {
  final class Captured: Sendable {
    static let freed = Count()
    deinit { Captured.freed.increment() }
  }
  let queue = DispatchQueue(label: "D22")
  for _ in 0..<100 {
    let item: DispatchWorkItem = {
      let captured = Captured()
      return DispatchWorkItem { withExtendedLifetime(captured) {} }
    }()
    queue.asyncAfter(deadline: .now() + .seconds(3_600), execute: item)
    item.cancel()
  }
  report("D22", "of 100 cancelled items, captures alive", 100 - Captured.freed.value)
}

// D11: how many items that wait run together, after three seconds at most.
func reportBlocked(_ what: String, _ count: Int, on queue: (Int) -> DispatchQueue) {
  let running = Count()
  let release = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  for number in 0..<count {
    queue(number).async(group: group) {
      running.increment()
      release.wait()
    }
  }
  let took = milliseconds(until: { running.value == count }, atMost: longestStart)
  report("D11", what, "\(running.value) of \(count) after \(took) ms")
  for _ in 0..<count { release.signal() }
  group.wait()
}
reportBlocked("blocked items on a global queue", 64) { _ in .global() }
let concurrent = DispatchQueue(label: "D11", attributes: .concurrent)
reportBlocked("blocked items on a concurrent queue", 64) { _ in concurrent }
reportBlocked("blocked serial queues", 300) { DispatchQueue(label: "D11.\($0)") }

// Timers, sources and channels.
report(
  "D13", "wake-ups a second, 100 timers without leeway", wakeUpsOfTimers(leeway: .nanoseconds(0)))
report(
  "D13", "wake-ups a second, 100 timers with leeway of their interval",
  wakeUpsOfTimers(leeway: .milliseconds(100)))
costOfHangUp("a second of a read source at the end of a pipe", of: makePipe(), isRead: true)
costOfHangUp("a second of a write source whose reader is gone", of: makePipe(), isRead: false)
report("D21", "read of a silent pipe, stopped", timeToStop())
reportLatency()
