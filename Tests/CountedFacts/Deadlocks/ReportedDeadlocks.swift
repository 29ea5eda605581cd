// ReportedDeadlocks — deadlocks with SIGNALBOX_ON_MISUSE=report: the threads wait on, and the others continue.
//
// Each scenario prints `goesOn` when the wait is seen in the process's own report and an item has run since.

import Glibc
import SignalboxDispatch
import SignalboxLocks
import SignalboxOperations
import SignalboxThreads

package enum ReportedDeadlockScenario: String, CountedScenario {
  case reportedQueues = "reported-queues"
  case reportedUnfairLock = "reported-unfair-lock"
  case reportedSync = "reported-sync"
  case reportedAsyncAndWait = "reported-async-and-wait"
  case reportedMainQueue = "reported-main-queue"
  case reportedOnce = "reported-once"
  case reportedJoin = "reported-join"
  case reportedOperation = "reported-operation"
  case reportedOperationQueue = "reported-operation-queue"

  /// What the report of waiting threads says.
  package var words: String {
    switch self {
    // Only the search finds it.
    case .reportedQueues: "deadlock: thread "
    case .reportedSync, .reportedAsyncAndWait:
      "waits in sync, for the queue \"dead.own\""
    case .reportedUnfairLock: "waits for the UnfairLock at 0x"
    case .reportedMainQueue: "waits in sync, for the queue \"com.apple.main-thread\""
    case .reportedOnce: "waits for the body of "
    case .reportedJoin, .reportedOperation, .reportedOperationQueue: "waits for the end of "
    }
  }
}

extension ReportedDeadlockScenario: Scenario {
  func run() {
    // A plain thread: in one scenario the first thread waits.
    startThread { [self] in
      while !BlockedReport.text().contains(words) { sleepInKernel(milliseconds: 1) }
      let group = DispatchGroup()
      DispatchQueue(label: "dead.other").async(group: group) {}
      group.wait()
      report("goesOn", 1)
      exit(EXIT_SUCCESS)
    }
    begin()
    while true { pause() }
  }

  private func begin() {
    let own = DispatchQueue(label: "dead.own")
    switch self {
    case .reportedQueues:
      let other = DispatchQueue(label: "dead.second")
      let (begun, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      own.async {
        begun.signal()
        held.wait()
        other.sync {}
      }
      // Otherwise the thread in `own.sync` may run the item above, and wait for itself.
      begun.wait()
      other.async {
        held.signal()
        own.sync {}
      }
    case .reportedUnfairLock:
      own.async {
        let lock = UnfairLock()
        lock.lock()
        lock.lock()
      }
    case .reportedSync: own.async { own.sync {} }
    case .reportedAsyncAndWait: own.async { own.asyncAndWait {} }
    case .reportedMainQueue: DispatchQueue.main.sync {}
    case .reportedOnce:
      own.async {
        let once = Once()
        once.perform { once.perform {} }
      }
    case .reportedJoin:
      let gate = DispatchSemaphore(value: 0)
      let joined = Joined()
      let thread = JoinableThread {
        gate.wait()
        joined.thread?.join()
      }
      joined.thread = thread
      thread.start()
      gate.signal()
    case .reportedOperation:
      let operation = OwnWait { $0.waitUntilFinished() }
      OperationQueue().addOperation(operation)
    case .reportedOperationQueue:
      let queue = OperationQueue()
      queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
    }
  }
}

// SAFETY: set before the thread reads it, which a semaphore orders.
private final class Joined: @unchecked Sendable {
  var thread: JoinableThread<Void, Never>?
}

private final class OwnWait: Operation, @unchecked Sendable {  // SAFETY: nothing changes.
  private let body: @Sendable (Operation) -> Void

  init(_ body: @escaping @Sendable (Operation) -> Void) { self.body = body }

  override func main() { body(self) }
}
