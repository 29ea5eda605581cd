// MadeOnce — what this module makes at its first use, for who forks to wait for; see the file of
// this name in `SignalboxRuntime`.
//
// Elsewhere   OperationQueue.mainQueue: it takes the lock of the list of queues.

import SignalboxRuntime

enum MadeOnce {
  static func make() {
    waitForMaking(OperationRegistry.made)
    waitForMaking(OperationClasses.used)
    waitForMaking(OperationMonitor.used)
  }
}
