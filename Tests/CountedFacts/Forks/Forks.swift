// Forks — a child made by fork(2) without exec: what works there, and what traps.
//
// Each child reports through its exit status whether everything went well; the scenarios
// report the statuses.

import CSystemCalls
import Glibc
import SignalboxDiagnostics
import SignalboxDispatch
import SignalboxRuntime

package enum ForkScenario: String, CountedScenario {
  case forkAnIdleProcess = "fork-an-idle-process"
  case forkWithQueuesFromTheParent = "fork-with-queues-from-the-parent"
  case forkWhileAQueueRuns = "fork-while-a-queue-runs"
  case forkWhileAConcurrentQueueRuns = "fork-while-a-concurrent-queue-runs"
  case forkWhileAThreadIsInSync = "fork-while-a-thread-is-in-sync"
  case forkWhileWorkIsPending = "fork-while-work-is-pending"
  case forkFromAForeignThread = "fork-from-a-foreign-thread"
  case forkFromAnItem = "fork-from-an-item"
  case forkFromABackgroundItem = "fork-from-a-background-item"
  case forkAndCancelATimerOfTheParent = "fork-and-cancel-a-timer-of-the-parent"
  case forkFromAnItemThatReturns = "fork-from-an-item-that-returns"
  case forkFromAConcurrentItemThatReturns = "fork-from-a-concurrent-item-that-returns"
  case forkFromAnItemOfMainThatReturns = "fork-from-an-item-of-main-that-returns"
  case forkWithinSync = "fork-within-sync"
  case forkWithinSyncOfAWorkloop = "fork-within-sync-of-a-workloop"
  case forkLeavesGlobalAndMainWorkBehind = "fork-leaves-global-and-main-work-behind"
  case forkMainQueueOfTheChild = "fork-main-queue-of-the-child"
  case forkTimersOfTheParent = "fork-timers-of-the-parent"
  case forkOfAFork = "fork-of-a-fork"
  case forkWithHandlersThatHoldLocks = "fork-with-handlers-that-hold-locks"
  case forkUnderLoad = "fork-under-load"
  case forkKeepsThreadNumbers = "fork-keeps-thread-numbers"
}

extension ForkScenario: Scenario {
  func run() {
    switch self {
    case .forkAnIdleProcess:
      useEveryKind()
      // The queues are idle once no thread drains them.
      reportChild("child") { useEveryKind() }
      useEveryKind()
      report("parent", "goes on")
    case .forkWithQueuesFromTheParent:
      let serial = DispatchQueue(label: "org.signalbox.facts.serial")
      let concurrent = DispatchQueue(
        label: "org.signalbox.facts.concurrent", attributes: .concurrent)
      let suspended = DispatchQueue(label: "org.signalbox.facts.suspended")
      suspended.suspend()
      for queue in [serial, concurrent] { comeToRest(queue) }
      reportChild("child") {
        for queue in [serial, concurrent] { use(queue) }
        suspended.resume()
        use(suspended)
      }
      suspended.resume()
      for queue in [serial, concurrent, suspended] { use(queue) }
      report("parent", "goes on")
    case .forkWhileAQueueRuns:
      forkWhileBusy { queue, begin in queue.async(execute: begin) }
    case .forkWhileAConcurrentQueueRuns:
      forkWhileBusy(attributes: .concurrent) { queue, begin in queue.async(execute: begin) }
    case .forkWhileAThreadIsInSync:
      forkWhileBusy { queue, begin in DispatchQueue.global().async { queue.sync(execute: begin) } }
    case .forkWhileWorkIsPending:
      let queue = DispatchQueue(label: "org.signalbox.facts.busy")
      queue.suspend()
      queue.async {}
      reportUses(of: queue, traps: ["async", "sync", "resume"])
      queue.resume()
    case .forkFromAForeignThread:
      useEveryKind()
      let done = DispatchSemaphore(value: 0)
      onForeignThread {
        reportChild("child") { useEveryKind() }
        done.signal()
      }
      done.wait()
    case .forkFromAnItem:
      forkFromItem(qos: .default)
    case .forkFromABackgroundItem:
      forkFromItem(qos: .background)
    case .forkAndCancelATimerOfTheParent:
      useEveryKind()
      let ran = DispatchSemaphore(value: 0)
      let items = (0..<3).map { _ in DispatchWorkItem { ran.signal() } }
      for item in items {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100), execute: item)
      }
      reportChild("child") {
        for item in items { item.cancel() }
        useEveryKind()
        if !items.allSatisfy(\.isCancelled) { _exit(20) }
      }
      // The child cancelled its own copy.
      for _ in items { ran.wait() }
      report("parent", "goes on")
    case .forkFromAnItemThatReturns:
      forkAndReturn(attributes: [])
    case .forkFromAConcurrentItemThatReturns:
      forkAndReturn(attributes: .concurrent)
    case .forkFromAnItemOfMainThatReturns:
      let behind = Tally()
      DispatchQueue.main.async {
        let child = csc_fork()
        if child == 0 {
          DispatchQueue.main.async { _exit(behind.count == 0 ? 0 : 12) }
          return
        }
        report("child", Int(csc_wait(child)))
        // This item comes after the items that were already there.
        DispatchQueue.main.async {
          report("behind", behind.count)
          exit(0)
        }
      }
      for _ in 0..<3 { DispatchQueue.main.async { behind.increment() } }
      dispatchMain()
    case .forkWithinSync:
      let queue = DispatchQueue(label: "org.signalbox.facts.sync")
      let concurrent = DispatchQueue(label: "org.signalbox.facts.shared", attributes: .concurrent)
      comeToRest(queue)
      for held in [queue, concurrent] {
        let child = held.sync { csc_fork() }
        if child == 0 {
          use(held)
          held.sync(flags: .barrier) {}
          _exit(0)
        }
        report(held === queue ? "serial" : "concurrent", Int(csc_wait(child)))
      }
      use(queue)
    case .forkWithinSyncOfAWorkloop:
      let workloop = DispatchWorkloop(label: "org.signalbox.facts.workloop")
      let gate = DispatchSemaphore(value: 0)
      let forked = DispatchSemaphore(value: 0)
      let behind = Tally()
      let group = DispatchGroup()
      workloop.async { gate.wait() }
      for _ in 0..<3 {
        workloop.async(group: group, qos: .background, flags: .enforceQoS) { behind.increment() }
      }
      onForeignThread {
        let child = workloop.sync { csc_fork() }
        if child == 0 {
          alarm(childLimitInSeconds)
          let own = DispatchSemaphore(value: 0)
          workloop.async(qos: .background, flags: .enforceQoS) { own.signal() }
          own.wait()
          _exit(behind.count == 0 ? 0 : 12)
        }
        report("child", Int(csc_wait(child)))
        forked.signal()
      }
      while !BlockedReport.text().contains("waits in sync") { sched_yield() }
      gate.signal()
      forked.wait()
      group.wait()
      report("behind", behind.count)
    case .forkLeavesGlobalAndMainWorkBehind:
      // The first use of a type in a child may need a lock of the Swift runtime that another
      // thread held at the fork. So everything is used before, and all threads sleep.
      useEveryKind()
      let ran = Tally()
      let gate = DispatchSemaphore(value: 0)
      let group = DispatchGroup()
      for _ in 0..<200 {
        DispatchQueue.global().async(group: group) {
          gate.wait()
          ran.increment()
        }
      }
      while WaitRegistry.shared.waits.count(where: { $0.reason == .semaphore }) < 200 {
        sched_yield()
      }
      DispatchQueue.main.async { ran.increment() }
      reportChild("child") {
        for _ in 0..<200 { gate.signal() }
        useEveryKind()
        DispatchMainQueueHost.drain()
        if ran.count != 0 { _exit(13) }
      }
      for _ in 0..<200 { gate.signal() }
      group.wait()
      DispatchMainQueueHost.drain()
      report("ran", ran.count)
    case .forkMainQueueOfTheChild:
      // The parent's descriptor exists before the fork.
      DispatchQueue.main.async {}
      DispatchMainQueueHost.drain()
      let before = DispatchMainQueueHost.fileDescriptor
      reportChild("child") {
        if DispatchMainQueueHost.fileDescriptor != before { _exit(14) }
        let ran = Tally()
        DispatchQueue.global().async { DispatchQueue.main.async { ran.increment() } }
        var polled = pollfd(fd: before, events: Int16(POLLIN), revents: 0)
        while poll(&polled, 1, -1) < 0 {}
        DispatchMainQueueHost.drain()
        if ran.count != 1 { _exit(15) }
      }
      // The child must not have woken the parent.
      var polled = pollfd(fd: before, events: Int16(POLLIN), revents: 0)
      report("readable", poll(&polled, 1, 0))
    case .forkTimersOfTheParent:
      useEveryKind()
      let fired = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { fired.signal() }
      reportChild("child") {
        // If the child took very long to get here, the parent's timer fired before the fork, in
        // the parent.
        _ = fired.wait(timeout: .now())
        // This timer is due after the parent's, which must not fire here.
        let own = DispatchSemaphore(value: 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { own.signal() }
        own.wait()
        if fired.wait(timeout: .now()) == .success { _exit(16) }
      }
      fired.wait()
      report("parent", "goes on")
    case .forkOfAFork:
      useEveryKind()
      reportChild("child") {
        useEveryKind()
        let busy = DispatchQueue(label: "org.signalbox.facts.busy-in-the-child")
        comeToRest(busy)
        let grandchild = csc_fork()
        if grandchild == 0 {
          use(busy)
          useEveryKind()
          _exit(0)
        }
        useEveryKind()
        if csc_wait(grandchild) != 0 { _exit(17) }
      }
    case .forkWithHandlersThatHoldLocks:
      ForkHandlers.arrange()
      useEveryKind()
      reportChild("child") {
        if ForkHandlers.childFound.count != 1 { _exit(18) }
        use(ForkHandlers.queue)
        useEveryKind()
      }
      use(ForkHandlers.queue)
      report("parent", "goes on")
    case .forkUnderLoad:
      forkOftenUnderLoad(integerArgument(0, default: 200))
    case .forkKeepsThreadNumbers:
      useEveryKind()
      let queue = DispatchQueue(label: "org.signalbox.facts.number")
      let child = queue.sync { csc_fork() }
      if child == 0 {
        // At the fork the thread owned the queue by its thread number, and it left the queue by
        // the same number.
        queue.sync {}
        _exit(0)
      }
      report("child", Int(csc_wait(child)))
    }
  }
}

// MARK: Children

/// How long a child may take, in seconds, before it counts as stuck: less than the test waits for
/// this program, so that the child's status is reported. At the lowest priority, each hand-over
/// takes tenths of a second while other threads compute.
var childLimitInSeconds: UInt32 { 80 }

/// Forks. The child runs `body` and exits with 0; the parent reports its status.
func reportChild(_ name: String, _ body: () -> Void) {
  let child = csc_fork()
  if child == 0 {
    alarm(childLimitInSeconds)
    body()
    _exit(0)
  }
  report(name, Int(csc_wait(child)))
}

func use(_ queue: DispatchQueue) {
  let group = DispatchGroup()
  let ran = Tally()
  for _ in 0..<10 { queue.async(group: group) { ran.increment() } }
  queue.sync { _ = ran.increment() }
  queue.async(group: group, flags: .barrier) { ran.increment() }
  group.wait()
  if ran.count != 12 { _exit(21) }
}

/// Waits until no thread drains the queue: its owner leaves it after the last item.
func comeToRest(_ queue: DispatchQueue) {
  use(queue)
  while !queue.description.hasSuffix("idle>") { sched_yield() }
}

/// Uses everything that needs the engine.
private func useEveryKind() {
  use(DispatchQueue(label: "org.signalbox.facts.new"))
  use(DispatchQueue(label: "org.signalbox.facts.new", attributes: .concurrent))
  let done = DispatchSemaphore(value: 0)
  let ran = Tally()
  for qos in [DispatchQoS.QoSClass.background, .utility, .default, .userInteractive] {
    DispatchQueue.global(qos: qos).async {
      ran.increment()
      done.signal()
    }
  }
  for _ in 0..<4 { done.wait() }
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { done.signal() }
  done.wait()
  DispatchQueue.concurrentPerform(iterations: 100) { _ in ran.increment() }
  if ran.count != 104 { _exit(22) }
}

func onForeignThread(_ body: @escaping () -> Void) {
  final class Box {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  // SAFETY: retained here, released by the thread.
  let box = Unmanaged.passRetained(Box(body))
  pthread_create(
    &thread, nil,
    { context in
      // SAFETY: as above.
      Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  pthread_detach(thread)
}

// MARK: Busy queues

/// Forks while an item of a queue runs, and uses the queue in children.
private func forkWhileBusy(
  attributes: DispatchQueue.Attributes = [],
  _ submit: (DispatchQueue, @escaping @Sendable () -> Void) -> Void
) {
  useEveryKind()
  let queue = DispatchQueue(label: "org.signalbox.facts.busy", attributes: attributes)
  let begun = DispatchSemaphore(value: 0)
  let gate = DispatchSemaphore(value: 0)
  submit(queue) {
    begun.signal()
    gate.wait()
  }
  begun.wait()
  reportUses(of: queue, traps: ["async", "sync", "barrier"])
  gate.signal()
  use(queue)
  report("parent", "goes on")
}

/// Reports the outcome of each use of the queue, each in a child of its own. A child that does
/// not trap hangs until its alarm, or ends with 0.
private func reportUses(of queue: DispatchQueue, traps: [String]) {
  for name in traps {
    reportChild(name) {
      let group = DispatchGroup()
      switch name {
      case "sync": queue.sync {}
      case "barrier": queue.sync(flags: .barrier) {}
      case "resume": queue.resume()
      default:
        queue.async(group: group) {}
        group.wait()
      }
    }
  }
}

/// A child that an item forks uses everything, including the queue that the item runs on.
private func forkFromItem(qos: DispatchQoS) {
  useEveryKind()
  let done = DispatchSemaphore(value: 0)
  let queue = DispatchQueue(label: "org.signalbox.facts.forks", qos: qos)
  queue.async {
    reportChild("child") {
      useEveryKind()
      // The item holds the queue, so the submitted items come after it and never run.
      let ran = DispatchSemaphore(value: 0)
      queue.async { ran.signal() }
      useEveryKind()
      if ran.wait(timeout: .now()) == .success { _exit(11) }
    }
    done.signal()
  }
  done.wait()
  use(queue)
  report("parent", "goes on")
}

/// An item forks and returns in the child too; other items are queued behind it.
private func forkAndReturn(attributes: DispatchQueue.Attributes) {
  let queue = DispatchQueue(label: "org.signalbox.facts.returns", attributes: attributes)
  let behind = Tally()
  let done = DispatchSemaphore(value: 0)
  let submitted = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  queue.async(flags: .barrier) {
    submitted.wait()
    let child = csc_fork()
    if child == 0 {
      alarm(childLimitInSeconds)
      // The item's thread is the child's first thread, and drains the main queue from now on.
      DispatchQueue.main.async {
        // No thread is on the queue any more, and none of the parent's items are in it.
        use(queue)
        _exit(behind.count == 0 ? 0 : 19)
      }
      return
    }
    report("child", Int(csc_wait(child)))
    done.signal()
  }
  for _ in 0..<5 { queue.async(group: group) { behind.increment() } }
  submitted.signal()
  done.wait()
  group.wait()
  report("behind", behind.count)
}

// MARK: Handlers of the program

private enum ForkHandlers {
  static let queue = DispatchQueue(label: "org.signalbox.facts.handlers")
  static let childFound = Tally()
  private static let semaphore = DispatchSemaphore(value: 1)

  /// A library that keeps its own state consistent across a fork: it takes its lock before the
  /// fork, and releases it afterwards on both sides.
  static func arrange() {
    comeToRest(queue)
    let error = csc_at_fork(
      {
        ForkHandlers.semaphore.wait()
        ForkHandlers.queue.suspend()
      },
      {
        ForkHandlers.queue.resume()
        ForkHandlers.semaphore.signal()
      },
      {
        ForkHandlers.queue.resume()
        ForkHandlers.semaphore.signal()
        ForkHandlers.childFound.increment()
      })
    if error != 0 { fail("pthread_atfork: \(error)") }
  }
}

// MARK: Load

/// Forks while every worker is busy with all kinds of work.
private func forkOftenUnderLoad(_ count: Int) {
  let stop = Tally()
  let group = DispatchGroup()
  let queues = (0..<4).map {
    DispatchQueue(label: "org.signalbox.facts.load", attributes: $0 % 2 == 0 ? [] : .concurrent)
  }
  for (index, queue) in queues.enumerated() {
    let other = queues[(index + 1) % queues.count]
    DispatchQueue.global().async(group: group) {
      while stop.count == 0 {
        let inner = DispatchGroup()
        for _ in 0..<16 { queue.async(group: inner) { other.async(group: inner) {} } }
        inner.enter()
        other.asyncAfter(deadline: .now() + .microseconds(50)) { inner.leave() }
        inner.wait()
        queue.sync {}
      }
    }
  }
  @Sendable func workOfChild() {
    use(DispatchQueue(label: "org.signalbox.facts.child"))
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { done.signal() }
    done.wait()
  }
  // The first use of a type in a child may need a lock of the Swift runtime that another thread
  // held at the fork.
  workOfChild()
  var statuses: [Int: Int] = [:]
  for _ in 0..<count {
    let child = csc_fork()
    if child == 0 {
      alarm(30)
      workOfChild()
      _exit(0)
    }
    statuses[Int(csc_wait(child)), default: 0] += 1
  }
  stop.increment()
  group.wait()
  report("well", statuses[0] ?? 0)
  report("statuses", statuses)
}
