// MadeOnce — initializes this module's lazy statics before a fork; see the file of the same
// name in `SignalboxRuntime`.
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
