// LazyStatics — the static properties of this module that the Swift runtime initializes on first
// use; see the file of this name in `SignalboxRuntime`.
//
// Elsewhere   OperationQueue.mainQueue: its initializer takes the lock of the list of queues.

import SignalboxRuntime

enum LazyStatics {
  static func force() {
    forceInitialized(OperationRegistry.made)
    forceInitialized(OperationClasses.used)
    forceInitialized(OperationMonitor.used)
  }
}
