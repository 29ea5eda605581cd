// Submission — how many system calls a submitting thread makes while every worker is busy.

import Glibc
import SignalboxDispatch
import Synchronization

package enum SubmissionScenario: String, CountedScenario {
  case submissionsToABusySerialQueue = "submissions-to-a-busy-serial-queue"
  case submissionsToABusyGlobalQueue = "submissions-to-a-busy-global-queue"
  case submissionsToIdleQueuesOfABusyPool = "submissions-to-idle-queues-of-a-busy-pool"
  case aTracedSystemCall = "a-traced-system-call"
}

extension SubmissionScenario: Scenario {
  func run() {
    switch self {
    case .submissionsToABusySerialQueue:
      SystemCallTrace.countOfMainThread {
        let queue = DispatchQueue(label: "org.signalbox.facts.busy")
        submit { _ in queue }
      }
    case .submissionsToABusyGlobalQueue:
      SystemCallTrace.countOfMainThread {
        submit { _ in DispatchQueue.global() }
      }
    case .submissionsToIdleQueuesOfABusyPool:
      SystemCallTrace.countOfMainThread {
        let queues = (0..<submissions + warmUps).map {
          DispatchQueue(label: "org.signalbox.facts.idle.\($0)")
        }
        submit { queues[$0] }
      }
    // Shows that the trace sees a system call at all.
    case .aTracedSystemCall:
      SystemCallTrace.countOfMainThread {
        SystemCallTrace.counting {
          for _ in 0..<3 { close(-1) }
        }
      }
    }
  }
}

private let submissions = 200
private let warmUps = 20

private func submit(to queue: (Int) -> DispatchQueue) {
  let busy = integerArgument(0, default: 2)
  let running = DispatchSemaphore(value: 0)
  let release = Flag()
  let ran = Tally()
  let done = DispatchSemaphore(value: 0)
  let item: @Sendable () -> Void = {
    ran.increment()
    done.signal()
  }
  let group = DispatchGroup()
  // The pool is busy: each worker computes until it is released, the first of them on the queue
  // that the scenario submits to.
  for number in 0..<busy {
    (number == 0 ? queue(0) : DispatchQueue.global()).async(group: group) {
      running.signal()
      while !release.isSet {}
    }
  }
  for _ in 0..<busy { running.wait() }
  // The allocator gets its memory, and the pool notices that work is waiting.
  let warm = (0..<submissions + warmUps).map { _ in malloc(128) }
  for block in warm { free(block) }
  for number in 0..<warmUps { queue(number).async(execute: item) }

  SystemCallTrace.counting {
    for number in warmUps..<warmUps + submissions { queue(number).async(execute: item) }
  }

  release.set()
  group.wait()
  for _ in 0..<warmUps + submissions { done.wait() }
  report("submissions", submissions)
  report("ran", ran.count)
}

/// A flag that one thread sets and others watch without a system call.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
