// KernelPriority — the kernel priority of items of every class, and who may change it.

import Glibc
import SignalboxDispatch

/// Each scenario takes 1 as its argument to run without root's privileges.
package enum KernelPriorityScenario: String, CountedScenario {
  case niceValuesOfTheClasses = "nice-values-of-the-classes"
  case normalThreadsCalledForByBackgroundItems = "normal-threads-called-for-by-background-items"
  case normalThreadsCalledForByAThreadLoweredByOthers =
    "normal-threads-called-for-by-a-thread-lowered-by-others"
  case itemsInheritAClassThatTheirQueueDoesNotSpecify =
    "items-inherit-what-their-queue-does-not-say"
  case urgentItemBehindABackgroundItem = "urgent-item-behind-a-background-item"
  case backgroundQueuesOverAPlainTarget = "background-queues-over-a-plain-target"
  case urgentItemAheadOfManyBackgroundItems = "urgent-item-ahead-of-many-background-items"
  case syncFromMainAmongBackgroundItems = "sync-from-main-among-background-items"
  case syncBehindARunningBackgroundItem = "sync-behind-a-running-background-item"
}

extension KernelPriorityScenario: Scenario {
  func run() {
    switch self {
    case .niceValuesOfTheClasses:
      dropPrivilegesIfAsked()
      for qos in [DispatchQoS.QoSClass.userInteractive, .userInitiated, .default] {
        report("\(qos)", niceValue(on: .global(qos: qos)))
      }
      for qos in [DispatchQoS.QoSClass.utility, .background] {
        report("\(qos)", niceValue(on: .global(qos: qos)))
        let queue = DispatchQueue(
          label: "org.signalbox.facts.\(qos)", qos: DispatchQoS(qosClass: qos))
        report("\(qos).queue", niceValue(on: queue))
      }
    // Background items need more normal workers than there are. The pool must start new threads,
    // and none of them may inherit the low priority.
    case .normalThreadsCalledForByBackgroundItems:
      dropPrivilegesIfAsked()
      let group = DispatchGroup()
      let gate = DispatchSemaphore(value: 0)
      let inside = Tally()
      let highest = Tally()
      let items = 12
      DispatchQueue.global(qos: .background).async(group: group) {
        for _ in 0..<items {
          DispatchQueue.global().async(group: group) {
            for _ in 0..<max(0, currentNice() - mainNice()) { highest.increment() }
            inside.increment()
            gate.wait()
          }
        }
      }
      while inside.count < items { sched_yield() }
      for _ in 0..<items { gate.signal() }
      group.wait()
      report("items", inside.count)
      report("niceValues", highest.count)
    // A thread whose priority others have lowered causes the first worker of a low class to
    // start, and so the starter thread, and then needs more normal workers than there are.
    case .normalThreadsCalledForByAThreadLoweredByOthers:
      dropPrivilegesIfAsked()
      report("mayRaise", mayRaisePriority() ? 1 : 0)
      let group = DispatchGroup()
      let gate = DispatchSemaphore(value: 0)
      let inside = Tally()
      let lower = Tally()
      let items = 12
      onOwnThread {
        if setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, mainNice() + 3) != 0 {
          fail("setpriority: \(errno)")
        }
        inBackground {}
        for _ in 0..<items {
          DispatchQueue.global().async(group: group) {
            if currentNice() != mainNice() { lower.increment() }
            inside.increment()
            gate.wait()
          }
        }
      }
      while inside.count < items { sched_yield() }
      for _ in 0..<items { gate.signal() }
      group.wait()
      report("lower", lower.count)
    case .itemsInheritAClassThatTheirQueueDoesNotSpecify:
      dropPrivilegesIfAsked()
      let utility = DispatchQueue(label: "org.signalbox.facts.utility", qos: .utility)
      let group = DispatchGroup()
      inBackground { plainQueue().async(group: group) { report("inherited", currentNice()) } }
      inBackground {
        plainQueue().async(group: group, flags: .noQoS) { report("withoutQoS", currentNice()) }
      }
      inBackground {
        plainQueue().async(group: group, flags: .detached) { report("detached", currentNice()) }
      }
      inBackground { utility.async(group: group) { report("queueSays", currentNice()) } }
      let mixed = plainQueue()
      mixed.async(group: group, qos: .background) { report("itemSays", currentNice()) }
      group.wait()
      mixed.async(group: group) { report("nobodySays", currentNice()) }
      group.wait()
    // A background item holds the queue; the item behind it is more urgent.
    case .urgentItemBehindABackgroundItem:
      dropPrivilegesIfAsked()
      let queue = DispatchQueue(label: "org.signalbox.facts.mixed", qos: .background)
      let isInside = Tally()
      let isSubmitted = Tally()
      let group = DispatchGroup()
      queue.async(group: group) {
        report("first", currentNice())
        isInside.increment()
        while isSubmitted.count == 0 { sched_yield() }
      }
      while isInside.count == 0 { sched_yield() }
      queue.async(group: group) { report("second", currentNice()) }
      queue.async(group: group, qos: .userInitiated, flags: .enforceQoS) {
        report("third", currentNice())
      }
      isSubmitted.increment()
      group.wait()
      // The worker that ran the urgent item may still look at the queue for a moment.
      let low = Tally()
      repeat {
        queue.async(group: group) { if isLow() { low.increment() } }
        group.wait()
      } while low.count == 0
      report("later", lowestNice())
    // Queues of a low class that target a queue without a class.
    case .backgroundQueuesOverAPlainTarget:
      dropPrivilegesIfAsked()
      let target = DispatchQueue(label: "org.signalbox.facts.target")
      let group = DispatchGroup()
      let low = Tally()
      for number in 0..<20 {
        DispatchQueue(
          label: "org.signalbox.facts.over.\(number)", qos: .background, target: target
        ).async(group: group) { if isLow() { low.increment() } }
      }
      group.wait()
      report("low", low.count)
    // One urgent item raises a queue of the background class. The many items behind it run at the
    // low priority again, though the queue never becomes empty.
    case .urgentItemAheadOfManyBackgroundItems:
      dropPrivilegesIfAsked()
      let queue = DispatchQueue(label: "org.signalbox.facts.mixed", qos: .background)
      let group = DispatchGroup()
      let low = Tally()
      queue.suspend()
      queue.async(group: group, qos: .userInitiated) { report("urgent", currentNice()) }
      for _ in 0..<1000 {
        queue.async(group: group) { if isLow() { low.increment() } }
      }
      queue.resume()
      group.wait()
      report("low", low.count)
    // The main thread waits for a queue of the background class that no worker drains yet,
    // because other work of that class comes first.
    case .syncFromMainAmongBackgroundItems:
      dropPrivilegesIfAsked()
      let others = 200
      let group = DispatchGroup()
      let started = Tally()
      let mayEnd = Tally()
      for _ in 0..<others {
        DispatchQueue.global(qos: .background).async(group: group) {
          started.increment()
          while mayEnd.count == 0 { sched_yield() }
        }
      }
      while started.count == 0 { sched_yield() }
      // A worker of the class may take a queue before the main thread waits for it, and then runs
      // the item at the low priority. One of a few queues is enough.
      let raised = Tally()
      for number in 0..<5 where raised.count == 0 {
        let queue = DispatchQueue(label: "org.signalbox.facts.wanted.\(number)", qos: .background)
        queue.async(group: group) { if currentNice() == mainNice() { raised.increment() } }
        queue.sync {}
      }
      report("raised", raised.count)
      report("startedBefore", started.count)
      mayEnd.increment()
      group.wait()
      report("others", started.count)
    // The main thread waits for a running background item. If the process may, it raises the
    // item's priority until the item ends.
    case .syncBehindARunningBackgroundItem:
      dropPrivilegesIfAsked()
      let mayRaise = mayRaisePriority()
      report("mayRaise", mayRaise ? 1 : 0)
      let queue = DispatchQueue(label: "org.signalbox.facts.held", qos: .background)
      let isInside = Tally()
      let mayEnd = Tally()
      let group = DispatchGroup()
      queue.async(group: group) {
        report("before", currentNice())
        isInside.increment()
        let wasRaised = awaitNice(mainNice(), unless: mayEnd)
        report("raised", wasRaised ? 1 : 0)
      }
      while isInside.count == 0 { sched_yield() }
      if !mayRaise { mayEnd.increment() }
      queue.sync { report("caller", currentNice()) }
      group.wait()
      DispatchQueue.global(qos: .background).async(group: group) {
        report("after", currentNice())
      }
      group.wait()
    }
  }
}

extension DispatchQoS {
  init(qosClass: DispatchQoS.QoSClass) { self.init(qosClass: qosClass, relativePriority: 0) }
}

/// Gives up root's privileges if the argument asks for it.
///
/// Reports the process's own nice value, which the tests compare with.
private func dropPrivilegesIfAsked() {
  report("main", mainNice())
  guard integerArgument(0, default: 0) == 1, geteuid() == 0 else { return }
  if setgid(65534) != 0 || setuid(65534) != 0 { exit(77) }
}

/// Whether this process may raise a priority that it has lowered. It tries that in a child,
/// whose priority does not matter.
private func mayRaisePriority() -> Bool {
  let child = fork()
  if child == 0 {
    let own = __priority_which_t(PRIO_PROCESS.rawValue)
    let raised = setpriority(own, 0, 5) == 0 && setpriority(own, 0, 0) == 0
    _exit(raised ? 0 : 1)
  }
  var status: Int32 = -1
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status == 0
}

/// Returns the nice value of the process, which is that of its first thread.
private func mainNice() -> Int32 {
  getpriority(__priority_which_t(PRIO_PROCESS.rawValue), UInt32(getpid()))
}

/// Returns the nice value of the background class. The kernel's maximum is 19.
private func lowestNice() -> Int32 { min(19, mainNice() + 19) }

private func isLow() -> Bool { currentNice() == lowestNice() }

private func currentNice() -> Int32 {
  getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
}

private func plainQueue() -> DispatchQueue {
  DispatchQueue(label: "org.signalbox.facts.plain")
}

/// Runs `body` as an item of the background class, and waits for its end.
private func inBackground(_ body: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()
  DispatchQueue.global(qos: .background).async(group: group, execute: body)
  group.wait()
}

private func niceValue(on queue: DispatchQueue) -> Int {
  let group = DispatchGroup()
  let sum = Tally()
  queue.async(group: group) { for _ in 0..<max(0, currentNice()) { sum.increment() } }
  group.wait()
  return sum.count
}

/// Waits until this thread's nice value is `value`. Stops waiting when `mayEnd` is counted.
private func awaitNice(_ value: Int32, unless mayEnd: Tally) -> Bool {
  while currentNice() != value {
    if mayEnd.count > 0 { return false }
    sched_yield()
  }
  return true
}
