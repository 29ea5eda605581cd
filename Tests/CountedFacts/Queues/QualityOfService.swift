// QualityOfService — which of many waiting items starts first when one worker must choose.

import SignalboxDispatch
import Glibc

package enum QualityOfServiceScenario: String, CountedScenario {
  case interactiveItemAmongBackgroundItems = "interactive-item-among-background-items"
  case interactiveWorkItemAmongUtilityItems = "interactive-work-item-among-utility-items"
  case interactiveQueueAmongBackgroundQueues = "interactive-queue-among-background-queues"
  case interactiveGlobalItemAmongBackgroundOnes = "interactive-global-item-among-background-ones"
  case queueOfHigherRelativePriorityAmongLowerOnes =
    "queue-of-higher-relative-priority-among-lower-ones"
  case itemOfHigherRelativePriorityAmongLowerOnes =
    "item-of-higher-relative-priority-among-lower-ones"
  case interactiveIterationsAmongUserInitiatedItems =
    "interactive-iterations-among-user-initiated-items"
  case interactiveSourcesWhileSerialQueuesCompute =
    "interactive-sources-while-serial-queues-compute"
}

extension QualityOfServiceScenario: Scenario {
  func run() {
    switch self {
    case .interactiveItemAmongBackgroundItems:
      reportPlace(
        lower: { work in
          DispatchQueue(label: "org.signalbox.facts.item")
            .async(qos: .background, flags: .enforceQoS, execute: work)
        },
        higher: { work in
          DispatchQueue(label: "org.signalbox.facts.item")
            .async(qos: .userInteractive, flags: .enforceQoS, execute: work)
        })
    case .interactiveWorkItemAmongUtilityItems:
      reportPlace(
        lower: { work in
          DispatchQueue(label: "org.signalbox.facts.item").async(
            execute: DispatchWorkItem(qos: .utility, flags: .enforceQoS, block: work))
        },
        higher: { work in
          DispatchQueue(label: "org.signalbox.facts.item").async(
            execute: DispatchWorkItem(qos: .userInteractive, flags: .enforceQoS, block: work))
        })
    case .interactiveQueueAmongBackgroundQueues:
      reportPlace(
        lower: { work in
          DispatchQueue(label: "org.signalbox.facts.queue", qos: .background).async(execute: work)
        },
        higher: { work in
          DispatchQueue(label: "org.signalbox.facts.queue", qos: .userInteractive)
            .async(execute: work)
        })
    case .interactiveGlobalItemAmongBackgroundOnes:
      reportPlace(
        lower: { work in DispatchQueue.global(qos: .background).async(execute: work) },
        higher: { work in DispatchQueue.global(qos: .userInteractive).async(execute: work) })
    case .queueOfHigherRelativePriorityAmongLowerOnes:
      reportPlace(
        lower: { work in
          DispatchQueue(label: "org.signalbox.facts.queue", qos: initiated(-10)).async(
            execute: work)
        },
        higher: { work in
          DispatchQueue(label: "org.signalbox.facts.queue", qos: initiated(0)).async(execute: work)
        })
    case .itemOfHigherRelativePriorityAmongLowerOnes:
      reportPlace(
        lower: { work in
          DispatchQueue(label: "org.signalbox.facts.queue").async(qos: initiated(-1), execute: work)
        },
        higher: { work in
          DispatchQueue(label: "org.signalbox.facts.queue").async(qos: initiated(0), execute: work)
        })
    case .interactiveIterationsAmongUserInitiatedItems:
      reportIterationsPlace()
    case .interactiveSourcesWhileSerialQueuesCompute:
      reportSourcesAmongComputing()
    }
  }
}

private func initiated(_ relativePriority: Int) -> DispatchQoS {
  DispatchQoS(qosClass: .userInitiated, relativePriority: relativePriority)
}

/// Runs two workers, many items of the class below the caller's, and two iterations that need
/// both workers. Helpers of a class below the caller's would come after all those items.
private func reportIterationsPlace() {
  let otherItems = 200
  let started = Tally()
  // The thread of each of them.
  let threads = (0..<otherItems).map { _ in Tally() }
  let holders = Tally()
  let submitted = Tally()
  let group = DispatchGroup()
  for _ in 0..<2 {
    DispatchQueue.global(qos: .userInteractive).async(group: group) {
      holders.increment()
      while submitted.count == 0 { sched_yield() }
    }
  }
  while holders.count < 2 { sched_yield() }
  for _ in 0..<otherItems {
    DispatchQueue.global(qos: .userInitiated).async(group: group) {
      threads[started.increment() - 1].add(thisThread())
      compute(milliseconds: 1)
    }
  }
  DispatchQueue.global(qos: .userInteractive).async(group: group) {
    // Counts from the first iteration on, when the other one has been offered; the machine
    // decides how long that takes. Counts what the thread of the second iteration preferred to it:
    // if that thread loses its processor before the iteration begins, other workers run items.
    let iterations = Tally(), before = Tally(), after = Tally(), second = Tally()
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      if iterations.increment() == 1 {
        before.add(started.count)
      } else {
        second.add(thisThread())
        after.add(started.count)
      }
      while iterations.count < 2 { sched_yield() }
    }
    let between = threads[before.count..<max(before.count, after.count)]
    report("startedBefore", between.filter { $0.count == second.count }.count)
  }
  submitted.increment()
  group.wait()
  report("otherItems", started.count)
}

/// A number that no other thread of the process has at the same time.
private func thisThread() -> Int { Int(bitPattern: UInt(pthread_self())) }

/// Serial queues of the class below compute on the only worker, until the sources of an
/// interactive queue have reported everything that happened in between.
private func reportSourcesAmongComputing() {
  let queue = DispatchQueue(label: "org.signalbox.facts.interactive", qos: .userInteractive)
  let ends = makePipe()
  let reads = Tally(), fires = Tally(), merges = Tally(), computing = Tally()
  let reader = DispatchSource.makeReadSource(fileDescriptor: ends.input, queue: queue)
  reader.setEventHandler {
    var byte: UInt8 = 0
    if read(ends.input, &byte, 1) == 1 { reads.increment() }
  }
  let timer = DispatchSource.makeTimerSource(queue: queue)
  timer.setEventHandler { fires.increment() }
  let adder = DispatchSource.makeUserDataAddSource(queue: queue)
  adder.setEventHandler { merges.add(Int(adder.data)) }
  for source in [reader, timer, adder] as [any DispatchSourceProtocol] { source.activate() }
  let group = DispatchGroup()
  for number in 0..<3 {
    DispatchQueue(label: "org.signalbox.facts.computing.\(number)", qos: .userInitiated)
      .async(group: group) {
        computing.increment()
        while reads.count == 0 || fires.count == 0 || merges.count == 0 {}
      }
  }
  while computing.count == 0 { sched_yield() }
  put(1, into: ends.output)
  timer.schedule(deadline: .now())
  adder.add(data: 1)
  group.wait()
  report("reads", reads.count)
  report("fires", fires.count)
  report("merges", merges.count)
  for source in [reader, timer, adder] as [any DispatchSourceProtocol] { source.cancel() }
}

/// Submits many items of the lower class and then one of the higher, while something occupies
/// the only processor. Reports how many items of the lower class started before it, once all were
/// submitted.
func reportPlace(
  lower: (@escaping @Sendable () -> Void) -> Void,
  higher: (@escaping @Sendable () -> Void) -> Void
) {
  let lowerItems = 200
  useOneProcessor()
  let started = Tally()
  let ended = Tally()
  let place = Tally()
  let allSubmitted = Tally()
  let higherRan = Tally()
  let holderRuns = Tally()
  let group = DispatchGroup()
  DispatchQueue.global(qos: .userInteractive).async(group: group) {
    holderRuns.increment()
    while allSubmitted.count == 0 { sched_yield() }
  }
  while holderRuns.count == 0 { sched_yield() }
  for _ in 0..<lowerItems {
    group.enter()
    lower {
      started.increment()
      // After that there is nothing left to delay. On a busy machine the kernel gives the
      // lowest class only a moment in each second.
      if higherRan.count == 0 { compute(milliseconds: 1) }
      ended.increment()
      group.leave()
    }
  }
  group.enter()
  higher {
    place.add(started.count)
    higherRan.increment()
    group.leave()
  }
  // Workers beyond the width run lower items already while this thread submits: as many as the
  // machine lets them, since nothing of a higher class waits yet.
  let earlier = started.count
  allSubmitted.increment()
  group.wait()
  report("lowerItems", lowerItems)
  report("lowerEnded", ended.count)
  report("startedBefore", max(0, place.count - earlier))
}

private func compute(milliseconds duration: Double) {
  let end = milliseconds() + duration
  while milliseconds() < end {}
}
