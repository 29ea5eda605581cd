// MadeOnce — the statics that this module initializes at first use, so that a forking thread can
// wait for their initialization; see the file of the same name in `SignalboxRuntime`.
//
// Elsewhere   MainQueueDrain.shared: it makes descriptors. JobQueues.shared: it makes queues.
//             ForkedQueues.arranged: a forking thread has already run it.

import SignalboxRuntime

enum MadeOnce {
  static func make() {
    makeQueues()
    makeClasses()
    makeTimes()
    makeFlags()
    makeEvents()
  }

  private static func makeQueues() {
    waitForMaking(QueueRegistry.shared)
    waitForMaking(ReportSources.shared)
    waitForMaking(StuckReport.shared)
    waitForMaking(RecordedQueues.arranged)
    waitForMaking(ForkedQueues.rehearsed)
    waitForMaking(JobQueues.made)
    waitForMaking(MainQueueDrain.made)
    waitForMaking(MainQueueDrain.driven)
    waitForMaking(MainQueueDrain.loop)
    waitForMaking(DispatchQueue.mainQueue)
    waitForMaking(DispatchWorkloop.orderedPlace)
    waitForMaking(GlobalQueues.background)
    waitForMaking(GlobalQueues.utility)
    waitForMaking(GlobalQueues.standard)
    waitForMaking(GlobalQueues.userInitiated)
    waitForMaking(GlobalQueues.userInteractive)
    waitForMaking(GlobalQueues.unspecified)
    waitForMaking(LabelBytes.key)
    waitForMaking(DispatchData.empty)
  }

  private static func makeClasses() {
    waitForMaking(DispatchQoS.background)
    waitForMaking(DispatchQoS.utility)
    waitForMaking(DispatchQoS.default)
    waitForMaking(DispatchQoS.userInitiated)
    waitForMaking(DispatchQoS.userInteractive)
    waitForMaking(DispatchQoS.unspecified)
    waitForMaking(QOS_CLASS_BACKGROUND)
    waitForMaking(QOS_CLASS_UTILITY)
    waitForMaking(QOS_CLASS_DEFAULT)
    waitForMaking(QOS_CLASS_USER_INITIATED)
    waitForMaking(QOS_CLASS_USER_INTERACTIVE)
    waitForMaking(QOS_CLASS_UNSPECIFIED)
  }

  private static func makeTimes() {
    waitForMaking(DispatchTime.distantFuture)
    waitForMaking(DispatchWallTime.distantFuture)
    waitForMaking(DispatchContinuousTime.distantFuture)
  }

  private static func makeFlags() {
    waitForMaking(DispatchWorkItemFlags.assignCurrentContext)
    waitForMaking(DispatchWorkItemFlags.barrier)
    waitForMaking(DispatchWorkItemFlags.detached)
    waitForMaking(DispatchWorkItemFlags.enforceQoS)
    waitForMaking(DispatchWorkItemFlags.inheritQoS)
    waitForMaking(DispatchWorkItemFlags.noQoS)
    waitForMaking(DispatchQueue.Attributes.concurrent)
    waitForMaking(DispatchQueue.Attributes.initiallyInactive)
    waitForMaking(DispatchSerialQueue.Attributes.initiallyInactive)
    waitForMaking(DispatchConcurrentQueue.Attributes.initiallyInactive)
    waitForMaking(DispatchWorkloop.Attributes.initiallyInactive)
    waitForMaking(DispatchSource.TimerFlags.strict)
    waitForMaking(DispatchIO.CloseFlags.stop)
    waitForMaking(DispatchIO.IntervalFlags.strictInterval)
  }

  private static func makeEvents() {
    waitForMaking(DispatchSource.ProcessEvent.all)
    waitForMaking(DispatchSource.ProcessEvent.exec)
    waitForMaking(DispatchSource.ProcessEvent.exit)
    waitForMaking(DispatchSource.ProcessEvent.fork)
    waitForMaking(DispatchSource.ProcessEvent.signal)
    waitForMaking(DispatchSource.FileSystemEvent.all)
    waitForMaking(DispatchSource.FileSystemEvent.attrib)
    waitForMaking(DispatchSource.FileSystemEvent.delete)
    waitForMaking(DispatchSource.FileSystemEvent.extend)
    waitForMaking(DispatchSource.FileSystemEvent.funlock)
    waitForMaking(DispatchSource.FileSystemEvent.link)
    waitForMaking(DispatchSource.FileSystemEvent.rename)
    waitForMaking(DispatchSource.FileSystemEvent.revoke)
    waitForMaking(DispatchSource.FileSystemEvent.write)
    waitForMaking(DispatchSource.MemoryPressureEvent.all)
    waitForMaking(DispatchSource.MemoryPressureEvent.critical)
    waitForMaking(DispatchSource.MemoryPressureEvent.normal)
    waitForMaking(DispatchSource.MemoryPressureEvent.warning)
  }
}
