// MadeOnce — initializes this module's lazy statics before a fork; see the file of the same
// name in `SignalboxRuntime`.

import SignalboxRuntime

enum MadeOnce {
  static func make() {
    makeLoops()
    makeModes()
    makeActivities()
  }

  private static func makeLoops() {
    waitForMaking(LoopRegistry.made)
    waitForMaking(ItemLock.all)
    waitForMaking(ItemLock.turn)
    waitForMaking(TimerNow.keptOffset)
    waitForMaking(LoopStep.plain)
    waitForMaking(CommonModesComplaint.wasMade)
  }

  private static func makeModes() {
    waitForMaking(RunLoop.Mode.default)
    waitForMaking(RunLoop.Mode.common)
    waitForMaking(RunLoop.Mode.eventTracking)
    waitForMaking(RunLoop.Mode.modalPanel)
    waitForMaking(RunLoop.Mode.connectionReply)
    waitForMaking(CFRunLoopMode.defaultMode)
    waitForMaking(CFRunLoopMode.commonModes)
    waitForMaking(kCFRunLoopDefaultMode)
    waitForMaking(kCFRunLoopCommonModes)
  }

  private static func makeActivities() {
    waitForMaking(CFRunLoopActivity.entry)
    waitForMaking(CFRunLoopActivity.beforeTimers)
    waitForMaking(CFRunLoopActivity.beforeSources)
    waitForMaking(CFRunLoopActivity.beforeWaiting)
    waitForMaking(CFRunLoopActivity.afterWaiting)
    waitForMaking(CFRunLoopActivity.exit)
    waitForMaking(CFRunLoopActivity.allActivities)
  }
}
