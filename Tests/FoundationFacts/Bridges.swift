// Bridges — misuse of bridges, and deadlocks through a bridge.

import Glibc
import SignalboxDispatch
import SignalboxFoundation

let bridgeScenarios: [String: Scenario] = [
  "underlying-queue-of-a-foundation-queue": {
    let mistake = Dispatch.DispatchQueue(label: "org.signalbox.mistake")
    FoundationOperationQueue(runningOn: OperationQueue()).underlyingQueue = mistake
  },

  "underlying-queue-of-a-forwarding-queue": {
    let mistake = DispatchQueue(label: "org.signalbox.mistake")
    ForwardingOperationQueue(to: Foundation.OperationQueue()).underlyingQueue = mistake
  },

  "sync-from-an-item-of-the-bridged-queue": {
    endAtReport()
    let queue = DispatchQueue(label: "org.signalbox.own")
    let theirs = bridge(to: queue)
    queue.async { theirs.sync {} }
    pauseForEver()
  },

  "sync-from-the-main-thread-onto-a-bridge-to-main": {
    endAtReport()
    let theirs = bridge(to: .main)
    DispatchQueue.main.async { theirs.sync {} }
    dispatchMain()
  },

  "sync-onto-what-has-the-bridge-as-its-target": {
    endAtReport()
    let target = DispatchQueue(label: "org.signalbox.target")
    let theirs = bridge(to: DispatchQueue(label: "org.signalbox.own", target: target))
    let inner = Dispatch.DispatchQueue(label: "org.signalbox.inner", target: theirs)
    target.async { inner.sync {} }
    pauseForEver()
  },

  // An item of one queue waits for the other queue, whose item waits through the bridge.
  "sync-around-through-a-bridge": {
    endAtReport()
    let queue = DispatchQueue(label: "org.signalbox.own")
    let other = DispatchQueue(label: "org.signalbox.other")
    let theirs = bridge(to: queue)
    let begun = DispatchSemaphore(value: 0), isHeld = DispatchSemaphore(value: 0)
    queue.async {
      begun.signal()
      isHeld.wait()
      other.sync {}
    }
    other.async {
      begun.wait()
      isHeld.signal()
      theirs.sync {}
    }
    pauseForEver()
  },

  // Each thread waits through the bridge until an item of the queue ends, and then continues.
  "waits-through-a-bridge-that-end": {
    let reports = Tally()
    BlockedReport.onDeadlock { _ in reports.increment() }
    let queue = DispatchQueue(label: "org.signalbox.own")
    let theirs = bridge(to: queue)
    for length in [1, 60, 400] {
      let group = DispatchGroup()
      queue.async(group: group) { sleepInKernel(milliseconds: length) }
      for _ in 0..<3 { DispatchQueue.global().async(group: group) { theirs.sync {} } }
      group.wait()
      theirs.sync {}
    }
    report("reports", reports.count)
  },
]

private func bridge(to queue: DispatchQueue) -> Dispatch.DispatchQueue {
  guard let made = queue.makeToolchainQueue(label: "org.signalbox.theirs") else {
    fail("there is no bridge")
  }
  return made
}

/// Prints the first reported deadlock, and ends the process.
private func endAtReport() {
  BlockedReport.onDeadlock { text in
    report("deadlock", text)
    exit(EXIT_SUCCESS)
  }
}

private func pauseForEver() -> Never {
  while true { pause() }
}
