// LazyStatics — this module's static properties that the Swift runtime initializes on first use;
// see the file of this name in `SignalboxRuntime`.

import SignalboxRuntime

enum LazyStatics {
  static func force() {
    forceInitialized(LoopRegistry.made)
    forceInitialized(ItemLock.all)
    forceInitialized(ItemLock.turn)
    forceInitialized(TimerNow.keptOffset)
    forceInitialized(LoopStep.plain)
    forceInitialized(CFRunLoop.commonModesWarning)
    forceInitialized(RunLoop.foreignRunWarning)
  }
}
