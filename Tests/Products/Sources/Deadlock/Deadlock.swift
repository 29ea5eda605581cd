// Deadlock — two queues that wait for each other, for the programs that are linked statically.

import SignalboxDispatch

/// Makes an item of each of two queues wait for the other queue, and serves the main queue.
public func runIntoADeadlock() -> Never {
  let (first, second) = (DispatchQueue(label: "first"), DispatchQueue(label: "second"))
  let (firstRuns, secondRuns) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  first.async {
    firstRuns.signal()
    secondRuns.wait()
    second.sync {}
  }
  second.async {
    secondRuns.signal()
    firstRuns.wait()
    first.sync {}
  }
  dispatchMain()
}
