// LazyStatics — the static properties of this module that the Swift runtime initializes on first
// use; see the file of this name in `SignalboxRuntime`.
//
// Elsewhere   MainQueueDrain.shared: its initializer opens descriptors.
//             JobQueues.shared: its initializer makes queues.
//             ForkedQueues.arranged: the call that forces these statics reads it first.

import SignalboxRuntime

enum LazyStatics {
  static func force() {
    forceInitialized(QueueRegistry.shared)
    forceInitialized(ReportSources.shared)
    forceInitialized(StuckReport.shared)
    forceInitialized(RecordedQueues.arranged)
    forceInitialized(ForkedQueues.rehearsed)
    forceInitialized(JobQueues.made)
    forceInitialized(MainQueueDrain.made)
    forceInitialized(MainQueueDrain.driven)
    forceInitialized(MainQueueDrain.loop)
    forceInitialized(DispatchQueue.mainQueue)
    forceInitialized(GlobalQueues.background)
    forceInitialized(GlobalQueues.utility)
    forceInitialized(GlobalQueues.standard)
    forceInitialized(GlobalQueues.userInitiated)
    forceInitialized(GlobalQueues.userInteractive)
    forceInitialized(GlobalQueues.unspecified)
    forceInitialized(LabelBytes.key)
    forceInitialized(DispatchGroup.releaseWarning)
    forceInitialized(DataObject.empty)
  }
}
