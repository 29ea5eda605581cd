// ForkedCalls — forks within calls that hold queues or run on another thread, and that return in
// the child too.

import CSystemCalls
import Glibc
import SignalboxDispatch

package enum ForkedCallScenario: String, CountedScenario {
  case forkWithinACallOnTheMainQueue = "fork-within-a-call-on-the-main-queue"
  case forkWithinACallOnAWorker = "fork-within-a-call-on-a-worker"
  case forkFromAnItemThatAWaitingThreadRuns = "fork-from-an-item-that-a-waiting-thread-runs"
  case forkWithinSyncThatHoldsATarget = "fork-within-sync-that-holds-a-target"
  case forkWithinSyncThatSharesATarget = "fork-within-sync-that-shares-a-target"
  case forkWithinTwoSyncsThatShareATarget = "fork-within-two-syncs-that-share-a-target"
}

extension ForkedCallScenario: Scenario {
  func run() {
    switch self {
    case .forkWithinACallOnTheMainQueue:
      onForeignThread {
        callOnNotedStack { reportForked(DispatchQueue.main.sync { forkWithoutTheCaller() }) }
      }
      dispatchMain()
    case .forkWithinACallOnAWorker:
      // Where the queue is free, the caller itself would run the work.
      called.suspend()
      onForeignThread {
        callOnNotedStack { reportForked(called.asyncAndWait { forkWithoutTheCaller() }) }
      }
      while !called.description.contains("pending") { sched_yield() }
      called.resume()
      dispatchMain()
    case .forkFromAnItemThatAWaitingThreadRuns:
      let held = DispatchQueue(label: "org.signalbox.facts.held")
      let other = DispatchQueue(label: "org.signalbox.facts.other")
      forkWhileHeld(held, { held.sync(execute: $0) }, fork: { forkFromAnItem(of: other) })
    case .forkWithinSyncThatHoldsATarget:
      let target = DispatchQueue(label: "org.signalbox.facts.target")
      let queue = DispatchQueue(label: "org.signalbox.facts.aimed", target: target)
      forkWhileHeld(target, { queue.sync(execute: $0) }, fork: { csc_fork() })
    case .forkWithinSyncThatSharesATarget:
      let (target, queue) = aimedAtAConcurrentQueue()
      forkWhileHeld(target, { queue.sync(execute: $0) }, fork: { csc_fork() })
    case .forkWithinTwoSyncsThatShareATarget:
      let (target, queue) = aimedAtAConcurrentQueue()
      forkWhileHeld(
        target, { work in target.sync { queue.sync(execute: work) } }, fork: { csc_fork() })
    }
  }
}

/// Not a local variable, which a C function could not capture.
private let called = DispatchQueue(label: "org.signalbox.facts.called")

private func callOnNotedStack(_ body: @convention(c) () -> Void) {
  let error = csc_call_on_noted_stack(body)
  if error != 0 { fail("the stack: \(error)") }
}

/// Forks. The child ends with 0 once its main queue is served, and without touching the noted stack:
/// the thread of that stack is not in the child, which may use it for something else, such as a
/// thread. So the child starts none.
private func forkWithoutTheCaller() -> pid_t {
  let child = csc_fork()
  if child == 0 {
    alarm(childLimitInSeconds)
    if csc_forbid_noted_stack() != 0 { _exit(20) }
    DispatchQueue.main.async { _exit(0) }
  }
  return child
}

private func reportForked(_ child: pid_t) {
  report("child", Int(csc_wait(child)))
  DispatchQueue.main.async { exit(0) }
}

private func aimedAtAConcurrentQueue() -> (target: DispatchQueue, queue: DispatchQueue) {
  let target = DispatchQueue(label: "org.signalbox.facts.shared", attributes: .concurrent)
  return (target, DispatchQueue(label: "org.signalbox.facts.aimed", target: target))
}

/// Forks while a thread holds `queue` and barriers wait behind it. The thread then leaves the queue in
/// both processes.
///
/// - Parameters:
///   - hold: calls its argument on a thread that holds the queue.
///   - fork: forks.
private func forkWhileHeld(
  _ queue: DispatchQueue, _ hold: @escaping (() -> pid_t) -> pid_t, fork: @escaping () -> pid_t
) {
  let behind = Tally()
  let group = DispatchGroup()
  let done = DispatchSemaphore(value: 0)
  comeToRest(queue)
  onForeignThread {
    let child = hold {
      for _ in 0..<3 { queue.async(group: group, flags: .barrier) { behind.increment() } }
      return fork()
    }
    if child == 0 {
      alarm(childLimitInSeconds)
      use(queue)
      _exit(behind.count == 0 ? 0 : 12)
    }
    report("child", Int(csc_wait(child)))
    done.signal()
  }
  done.wait()
  group.wait()
  report("behind", behind.count)
}

/// Forks in an item of `queue` that this thread itself runs, because it waits behind the item in
/// `sync`. If a worker is faster, the next item tries again.
private func forkFromAnItem(of queue: DispatchQueue) -> pid_t {
  let thread = pthread_self()
  // SAFETY: only this thread touches it: the item does if it runs here.
  nonisolated(unsafe) var child: pid_t = -1
  while child < 0 {
    queue.async {
      if pthread_equal(pthread_self(), thread) == 0 { return }
      child = csc_fork()
      if child < 0 { fail("fork: errno \(errno)") }
    }
    queue.sync {}
  }
  return child
}
