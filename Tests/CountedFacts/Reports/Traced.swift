// Traced — work that passes each static tracepoint, for a tracer.

import CSystemCalls
import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxThreads

package enum TracedScenario: String, CountedScenario {
  /// Everything that has a tracepoint, and a forked child.
  case tracedWork = "traced-work"

  package static let long = "com.example.traced.orders", short = "bank"
  package static let crowd = "com.example.traced.crowd"
  package static let lock = "ledger"
}

extension TracedScenario: Scenario {
  func run() {
    // Three items on one queue; the first one waits for an item of another queue.
    let orders = DispatchQueue(label: TracedScenario.long, qos: .utility)
    let bank = DispatchQueue(label: TracedScenario.short)
    let paid = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    for number in 1...3 {
      orders.async(group: group) {
        guard number == 1 else { return }
        bank.async {
          untilReported("for a signal of")
          paid.signal()
        }
        paid.wait()
      }
    }
    group.wait()
    bank.sync {}
    orders.asyncAndWait {}

    // More items than workers run at a time, all of which wait for the last one.
    let crowd = DispatchQueue(label: TracedScenario.crowd, attributes: .concurrent)
    let count = processorCount() + 4
    let all = DispatchSemaphore(value: 0)
    for number in 1...count {
      crowd.async(group: group) {
        if number < count { return all.wait() }
        for _ in 1..<count { all.signal() }
      }
    }
    group.wait()

    // A lock that this thread waits for, and one time-out.
    let lock = NSLock()
    lock.name = TracedScenario.lock
    let isTaken = DispatchSemaphore(value: 0)
    let holder = Thread {
      lock.withLock {
        isTaken.signal()
        untilReported("for the NSLock")
        // The wait can be reported a moment before its tracepoint names the holder.
        while !firstThreadSleeps() { sched_yield() }
        // Off the processor, which a tracer is to see.
        usleep(20_000)
      }
    }
    holder.start()
    isTaken.wait()
    lock.withLock {}
    _ = isTaken.wait(timeout: .now() + .milliseconds(1))

    let timer = DispatchSource.makeTimerSource(queue: bank)
    timer.schedule(deadline: .now() + .milliseconds(1))
    timer.setEventHandler { paid.signal() }
    timer.activate()
    paid.wait()
    timer.cancel()
    let child = forkOnce()
    // A debugger writes into the same stream, and perhaps a line in several pieces. While all other
    // threads sleep, it writes nothing.
    awaitRest()
    report("crowd", count)
    report("child", child)
    report("done", 1)
  }

  /// The child has the count of its parent's tracers, and none of its own. Returns its status.
  private func forkOnce() -> Int32 {
    let child = csc_fork()
    if child == 0 {
      let queue = DispatchQueue(label: "com.example.traced.child")
      let group = DispatchGroup()
      queue.async(group: group) {}
      group.wait()
      _exit(0)
    }
    var status: Int32 = -1
    waitpid(child, &status, 0)
    return status
  }

  private func untilReported(_ words: String) {
    while !BlockedReport.text().contains(words) { sched_yield() }
  }
}
