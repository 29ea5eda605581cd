// ForeignBlocking — items that block outside the library, and items that wait for later items.
// Other items must run in their place.

import Glibc
import SignalboxDispatch

package enum ForeignBlockingScenario: String, CountedScenario {
  case itemsBlockedInRead = "items-blocked-in-read"
  case serialQueuesBlockedInRead = "serial-queues-blocked-in-read"
  case backgroundItemsBlockedInRead = "background-items-blocked-in-read"
  case itemsBlockedInReadWithoutDescriptors = "items-blocked-in-read-without-descriptors"
  case itemsThatWaitForItemsBehindThem = "items-that-wait-for-items-behind-them"
}

extension ForeignBlockingScenario: Scenario {
  func run() {
    switch self {
    case .itemsBlockedInRead:
      blockInRead(
        on: { _ in .global(qos: .default) }, count: integerArgument(0, default: 64))
    case .serialQueuesBlockedInRead:
      blockInRead(
        on: { DispatchQueue(label: "org.signalbox.facts.read.\($0)") },
        count: integerArgument(0, default: 64))
    case .backgroundItemsBlockedInRead:
      blockInRead(
        on: { _ in .global(qos: .background) }, count: integerArgument(0, default: 8))
    // The pool cannot ask the kernel for the state of a thread, because that takes a descriptor.
    case .itemsBlockedInReadWithoutDescriptors:
      blockInRead(
        on: { _ in .global(qos: .default) }, count: integerArgument(0, default: 8),
        hasDescriptors: false)
    // Each waits for an item that is submitted after all of them.
    case .itemsThatWaitForItemsBehindThem:
      let count = integerArgument(0, default: 2000)
      let group = DispatchGroup()
      let gate = DispatchSemaphore(value: 0)
      let ended = Tally()
      let start = milliseconds()
      for _ in 0..<count {
        DispatchQueue.global().async(group: group) {
          gate.wait()
          ended.increment()
        }
      }
      for _ in 0..<count { DispatchQueue.global().async(group: group) { gate.signal() } }
      group.wait()
      report("milliseconds", milliseconds() - start)
      report("ended", ended.count)
    }
  }
}

/// Submits `count` items that read from a pipe, each to its own queue, and waits until all of
/// them read.
private func blockInRead(
  on queue: (Int) -> DispatchQueue, count: Int, hasDescriptors: Bool = true
) {
  var pipes: [(read: Int32, write: Int32)] = []
  for _ in 0..<count {
    var ends: [Int32] = [0, 0]
    if pipe(&ends) != 0 { fail("no pipe") }
    pipes.append((ends[0], ends[1]))
  }
  let running = Tally()
  let finished = Tally()
  let allRun = DispatchSemaphore(value: 0)
  let group = DispatchGroup()
  let before = hasDescriptors ? nil : limitDescriptors(to: 3)
  let start = milliseconds()
  for (index, pipe) in pipes.enumerated() {
    queue(index).async(group: group) {
      if running.increment() == count { allRun.signal() }
      var byte: UInt8 = 0
      while read(pipe.read, &byte, 1) < 0 && errno == EINTR {}
      finished.increment()
    }
  }
  _ = allRun.wait(timeout: .now() + .seconds(Int(scenarioLimitInSeconds) / 2))
  if let before { _ = limitDescriptors(to: before) }
  report("milliseconds", milliseconds() - start)
  report("running", running.count)
  report("threads", threadNumbers().count)
  for pipe in pipes {
    var byte: UInt8 = 1
    _ = write(pipe.write, &byte, 1)
  }
  group.wait()
  report("finished", finished.count)
}

/// Lets the process open descriptors below `most` only. Returns the limit before.
private func limitDescriptors(to most: UInt) -> UInt {
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  var limit = rlimit()
  if getrlimit(resource, &limit) != 0 { fail("no limit of descriptors") }
  let before = limit.rlim_cur
  limit.rlim_cur = most
  if setrlimit(resource, &limit) != 0 { fail("the limit of descriptors does not change") }
  return before
}
